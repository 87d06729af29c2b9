import { chmod, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../make-folder.js';

/** Returns whether a user without special rights can pass through every folder above this path. */
export async function reachable(target: string): Promise<boolean> {
  for (let folder = path.dirname(path.resolve(target)); ; folder = path.dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

/** Creates a folder, and every missing one above it, such that all users can pass through, under every umask. */
export async function makePassable(folder: string): Promise<void> {
  for (const made of makeFolder(folder)) await chmod(made, 0o755);
}

/** Makes everything below a folder readable, and its programs executable: an install under a closed umask does not. */
export async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const target = path.join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(target);
    else if (entry.isFile()) await chmod(target, ((await stat(target)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
