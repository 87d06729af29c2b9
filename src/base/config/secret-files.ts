import { randomBytes } from 'node:crypto';
import { readFileSync, closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.js';
import type { Environment } from './environment.js';

/** Settings that contain a secret. Each can be in a file, which the variable with `_FILE` at its end names. */
export const SECRETS = [
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'PLATFORM_API_KEY',
  'INTERVIEW_API_KEY',
  'ENCRYPTION_KEY',
  'CHAIN_SIGNING_KEY',
  'OPERATOR_TOKEN',
  'METRICS_TOKEN',
  'ATS_OAUTH_CLIENTS',
] as const satisfies readonly (keyof Environment)[];

export interface SettingProblem {
  variable: string;
  rule: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Replaces the name of each file by its trimmed content: `ENCRYPTION_KEY` for `ENCRYPTION_KEY_FILE`. */
export function withSecretFiles(env: Env): { env: Env; problems: SettingProblem[] } {
  const read: Record<string, string | undefined> = { ...env };
  const problems: SettingProblem[] = [];
  for (const name of SECRETS) {
    const variable = `${name}_FILE`;
    const file = env[variable]?.trim();
    if (!file) continue;
    if (env[name]?.trim()) {
      problems.push({ variable, rule: `must be absent when ${name} is set` });
      continue;
    }
    try {
      read[name] = readFileSync(file, 'utf8').trim();
      if (read[name] === '') problems.push({ variable, rule: 'must name a file that is not empty' });
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      problems.push({ variable, rule: `must name a file that this user can read (${code})` });
    }
  }
  return { env: read, problems };
}

/**
 * Returns a secret that the service generates once and stores in a file, readable by its user alone. Processes that start
 * together agree on one: the file appears complete or not at all, and the first one wins.
 */
export function keptSecret(dataDir: string, name: string, make: () => string): string {
  const path = join(dataDir, name);
  const present = read(path);
  if (present !== null) return present;
  // The folder is not closed: the embedded database is below it, and when started as root it belongs to another user.
  // The files are closed.
  makeFolder(dataDir, 0o755);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${make()}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
