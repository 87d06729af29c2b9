import { readFileSync } from 'node:fs';
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

/** A problem with a variable, in words for the operator. */
export interface SettingProblem {
  variable: string;
  rule: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns an environment in which the content of each named file is in the place of its name: `ENCRYPTION_KEY` for
 * `ENCRYPTION_KEY_FILE`. Space around the content is removed.
 */
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
