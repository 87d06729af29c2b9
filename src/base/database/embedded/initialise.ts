import { spawn } from 'node:child_process';
import { chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { childEnvironment } from '../../config/child-environment.js';
import { makeFolder } from '../../make-folder.js';
import type { Binaries } from './binaries.js';
import { makePassable } from './passable.js';

/** The parameters of a new data directory. */
export interface Cluster {
  readonly folder: string;
  /** The superuser that owns all objects. */
  readonly user: string;
  readonly password: string;
}

/** Creates the data directory, complete or not at all, unless it exists. */
export async function initialise(binaries: Binaries, { folder, user, password }: Cluster): Promise<void> {
  const done = await stat(path.join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (done) return;
  // The server must be able to create its directory, so it owns the folder above.
  await makePassable(path.dirname(folder));
  const parent = binaries.runAs ? `${folder}.home` : path.dirname(folder);
  makeFolder(parent, 0o700);
  if (binaries.runAs) await chown(parent, binaries.runAs.uid, binaries.runAs.gid);
  const draft = path.join(parent, `init-${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  const secret = path.join(parent, `password-${process.pid}`);
  await writeFile(secret, password, { mode: 0o600 });
  if (binaries.runAs) await chown(secret, binaries.runAs.uid, binaries.runAs.gid);
  try {
    await run(binaries.initdb, binaries, [
      `--pgdata=${draft}`,
      `--username=${user}`,
      '--auth=scram-sha-256',
      `--pwfile=${secret}`,
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
    ]);
  } finally {
    await rm(secret, { force: true });
  }
  await rename(draft, folder);
  if (binaries.runAs) await rm(parent, { recursive: true, force: true });
}

function run(program: string, binaries: Binaries, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...binaries.runAs,
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: '/',
      env: childEnvironment(),
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${path.basename(program)} failed (${code}): ${output.slice(-2000)}`)),
    );
  });
}
