import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile, open, chown, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from '../../config/environment.js';
import { makeFolder } from '../../make-folder.js';
import { type Binaries, makePassable } from './binaries.js';

/** The state between starts, in `<dataDir>/database.json` (mode 0600). */
export interface Remembered {
  port: number;
  /** Of the owner, a superuser. */
  password: string;
  /** Of the service's plain role. */
  servicePassword: string;
  folder: string;
}

type OlderRemembered = Omit<Remembered, 'servicePassword'> & Partial<Remembered>;

const fileIn = (dataDir: string): string => path.join(dataDir, 'database.json');

export async function recall(dataDir: string): Promise<Remembered | null> {
  try {
    const found = JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as OlderRemembered;
    const { port, password, servicePassword } = found;
    const remembered = { port, password, folder: path.resolve(dataDir, found.folder) };
    if (servicePassword !== undefined) return { ...remembered, servicePassword };
    // A version with a single role has written the file.
    const complete = { ...remembered, servicePassword: randomBytes(24).toString('base64url') };
    await remember(dataDir, complete);
    return complete;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** A folder inside is stored by its relative name, so that the installation can be moved. */
export async function remember(
  dataDir: string,
  { port, password, servicePassword, folder }: Remembered,
): Promise<void> {
  const inside = path.relative(dataDir, folder);
  const name = inside.startsWith('..') || path.isAbsolute(inside) ? folder : inside;
  await writeFile(fileIn(dataDir), JSON.stringify({ port, password, servicePassword, folder: name }), { mode: 0o600 });
}

/**
 * Starts the server and waits until `isReady`.
 *
 * @throws {Error} with the end of the server's log when it does not start within 30 seconds
 */
export async function launch(
  binaries: Binaries,
  remembered: Remembered,
  logFile: string,
  settings: string[],
  isReady: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + 30_000;
  let exited = true;
  let code: number | null = null;
  while (Date.now() < deadline) {
    if (exited) {
      exited = false;
      // The server's errors go to a file, because a pipe would end with this process. Detached, so that Ctrl-C does not
      // reach it before the service has drained.
      const log = await open(logFile, 'a', 0o600);
      const child = spawn(binaries.postgres, serverArguments(remembered, settings), {
        ...binaries.runAs,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        cwd: '/',
        env: childEnvironment(),
      });
      child.on('error', (error) => {
        throw error;
      });
      child.on('exit', (status) => {
        // Right after a crash the old lock file can still exist: the start is repeated until the deadline.
        exited = true;
        code = status;
      });
      child.unref();
      await log.close();
    }
    if (await isReady()) return;
    await sleep(exited ? 200 : 15);
  }
  const tail = (await readFile(logFile, 'utf8')).slice(-2000);
  throw new Error(`PostgreSQL did not start (last exit code ${String(code)}); the end of ${logFile}:\n${tail}`);
}

function serverArguments({ port, folder }: Remembered, settings: string[]): string[] {
  const all = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'shared_buffers=256MB',
    'max_connections=120',
    'max_wal_size=2GB',
    'checkpoint_timeout=15min',
    'log_min_messages=warning',
    ...settings,
  ];
  return ['-D', folder, ...all.flatMap((setting) => ['-c', setting])];
}

interface Cluster {
  readonly folder: string;
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
