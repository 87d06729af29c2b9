import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.js';

/**
 * Returns a secret that the service generates once and stores in a file, readable by its user alone. Processes that
 * start together agree on one: the file appears complete or not at all, and the first one wins.
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
