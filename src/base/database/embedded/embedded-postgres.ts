import { randomInt, createHash, randomBytes } from 'node:crypto';
import { open, readFile, rm, stat, realpath, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { makeFolder } from '../../make-folder.js';
import { databaseAddressOf, ensureLogin, SERVICE_ROLE } from '../service-role.js';
import { findBinaries, outsideFolder, type Binaries, reachable } from './binaries.js';
import { initialise, launch, recall, remember, type Remembered } from './launch.js';

/**
 * The range of the ports that are chosen here. Systems take the ports of outgoing connections from 32 768 on (Linux) or 49 152
 * on (RFC 6335 §6), and such a connection would hold the port of a server while that restarts.
 */
const FIRST_PORT = 16_000;
const LAST_PORT = 31_999;
const MOST_TRIES = 100;
const LOOK_MS = 100;

export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Returns a free port below those of outgoing connections: the wanted one, if it is free. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await isFree(wanted))) return wanted;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found from ${FIRST_PORT} to ${LAST_PORT}`);
}

/** Resolves when a port is free, or after `waitMs`. */
export async function untilFree(port: number, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!(await isFree(port)) && performance.now() < deadline) await sleep(LOOK_MS);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

const LONGEST_START_MS = 120_000;

/**
 * Runs `work` while no other process of this installation does: of two first starts at once, the second one finds the server of
 * the first. Takes over a lock whose process is gone.
 */
async function whileLocked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const file = path.join(folder, 'database.lock');
  while (!(await take(file))) await sleep(50);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    const lock = await open(file, 'wx', 0o600);
    await lock.writeFile(String(process.pid));
    await lock.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (await isLeft(file)) await rm(file, { force: true });
  return false;
}

/** Whether the process of the lock is gone. Process numbers are reused, so an old lock is invalid with any process. */
async function isLeft(file: string): Promise<boolean> {
  try {
    const age = Date.now() - (await stat(file)).mtimeMs;
    const text = await readFile(file, 'utf8');
    if (text === '') return age > 1_000; // The process is about to write its number, or ended there.
    return age > LONGEST_START_MS || text === String(process.pid) || !isAlive(Number(text));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false; // The lock has just been released.
    throw error;
  }
}

/** A process of another user counts. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const USER = 'talent_bridge';
const DATABASE = 'talent_bridge';
/** A busy machine lists a closed connection for up to this time. */
const LINGERS_MS = 1_000;
const WATCH_MS = 500;
/** A killed server leaves its port as soon as its children have noticed. */
const PORT_WAIT_MS = 30_000;
/** `too_many_connections` */
const TOO_MANY_CONNECTIONS = '53300';

/** The events of a server that ended without a command. */
export type EmbeddedEvent = 'ended' | 'restarted' | 'lost';

/** A PostgreSQL server for `npm start` and the tests. It outlives a killed process: the next start uses it. */
export class EmbeddedPostgres {
  private timer: NodeJS.Timeout | null = null;
  private restarting: Promise<void> | null = null;
  private stopped = false;

  private constructor(
    private readonly dataDir: string,
    private readonly settings: string[],
    private readonly remembered: Remembered,
    readonly adopted: boolean,
  ) {}

  /** The address of the service's plain role, which reads and writes rows and owns nothing. */
  serviceUrl(): string {
    return databaseAddressOf(this.url(), SERVICE_ROLE, this.remembered.servicePassword);
  }

  /** The owner's address of the service's database, or of another one on the same server. */
  url(database: string = DATABASE): string {
    return `postgres://${USER}:${this.remembered.password}@127.0.0.1:${this.remembered.port}/${database}`;
  }

  /** The folder of the data files; as root below a closed home, it is outside `dataDir`. */
  get folder(): string {
    return this.remembered.folder;
  }

  /**
   * Starts the server of `dataDir`, or uses the one that still runs. Creates the data directory if needed. Resolves when the
   * server answers queries.
   *
   * @throws {Error} with the end of the server's log
   */
  static async start(dataDir: string, settings: string[] = []): Promise<EmbeddedPostgres> {
    makeFolder(dataDir, 0o755);
    return whileLocked(dataDir, () => this.startAlone(dataDir, settings));
  }

  private static async startAlone(dataDir: string, settings: string[]): Promise<EmbeddedPostgres> {
    let remembered = await recall(dataDir);
    if (remembered && (await isRunning(remembered))) {
      await makeServiceRole(remembered);
      return new EmbeddedPostgres(dataDir, settings, remembered, true);
    }

    const binaries = await findBinaries();
    const folder = remembered?.folder ?? (await chooseFolder(dataDir, binaries));
    const password = remembered?.password ?? newPassword();
    const servicePassword = remembered?.servicePassword ?? newPassword();
    remembered = { port: await freePort(remembered?.port), password, servicePassword, folder };
    await remember(dataDir, remembered);
    await initialise(binaries, { user: USER, ...remembered });
    const ours = remembered;
    await launch(binaries, ours, path.join(dataDir, 'database.log'), settings, () => isOurs(ours));
    await makeServiceRole(remembered);
    return new EmbeddedPostgres(dataDir, settings, remembered, false);
  }

  /**
   * Watches the server, and restarts it at the same address when it has ended.
   *
   * @param tell called when the server ended, and then when it was restarted, or is lost because that failed
   */
  keepUp(tell: (event: EmbeddedEvent, error?: Error) => void): void {
    this.timer = setInterval(() => {
      this.restarting ??= this.restartIfEnded(tell).finally(() => (this.restarting = null));
    }, WATCH_MS);
    this.timer.unref();
  }

  private async restartIfEnded(tell: (event: EmbeddedEvent, error?: Error) => void): Promise<void> {
    const pid = await postmasterPid(this.remembered.folder);
    if (this.stopped || (pid !== null && isAlive(pid))) return;
    tell('ended');
    try {
      await untilFree(this.remembered.port, PORT_WAIT_MS);
      const { remembered } = await EmbeddedPostgres.start(this.dataDir, this.settings);
      // The connections of this process use the old address.
      if (remembered.port !== this.remembered.port) throw new Error(`port ${this.remembered.port} was taken meanwhile`);
      tell('restarted');
    } catch (error) {
      tell('lost', error as Error);
    }
  }

  /** Stops the server (fast shutdown), unless another process uses it. Resolves when its lock file is gone. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearInterval(this.timer);
    await this.restarting;
    const client = new pg.Client({ connectionString: this.url('postgres') });
    client.on('error', () => undefined); // Another process of this installation can stop it at the same time.
    try {
      await client.connect();
      if (await isUsedByOthers(client)) return;
    } catch (error) {
      // All connections are taken, so other processes use the server. Every other error: it is stopping or has stopped.
      if ((error as { code?: string }).code === TOO_MANY_CONNECTIONS) return;
    } finally {
      await client.end().catch(() => undefined);
    }
    const pid = await postmasterPid(this.remembered.folder);
    if (pid === null || !isAlive(pid)) return;
    process.kill(pid, 'SIGINT');
    while ((await postmasterPid(this.remembered.folder)) !== null && isAlive(pid)) await sleep(10);
  }
}

/** Connections of this process that were just closed are still listed for a moment; connections of others stay. */
async function isUsedByOthers(client: pg.Client): Promise<boolean> {
  const deadline = performance.now() + LINGERS_MS;
  for (;;) {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    if (rows[0]!.n === 0) return false;
    if (performance.now() > deadline) return true;
    await sleep(20);
  }
}

/** Waits for a server that is still starting (its starter was killed). */
async function isRunning(remembered: Remembered): Promise<boolean> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    if (await isOurs(remembered)) return true;
    const pid = await postmasterPid(remembered.folder);
    if (pid === null || !isAlive(pid) || !(await listens(remembered.port)) || Date.now() > deadline) return false;
    await sleep(100);
  }
}

/** Whether the server accepts our password and serves our data directory: another server can have taken the port. */
async function isOurs(remembered: Remembered): Promise<boolean> {
  const client = new pg.Client({
    connectionString: `postgres://${USER}:${remembered.password}@127.0.0.1:${remembered.port}/postgres`,
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => undefined); // The server can stop during the query; the caller repeats it.
  try {
    await client.connect();
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    const ours = await realpath(remembered.folder);
    if (rows[0]?.folder !== ours && rows[0]?.folder !== remembered.folder) return false;
    const exists = await client.query(`select 1 from pg_database where datname = $1`, [DATABASE]);
    if (exists.rowCount === 0) await client.query(`create database ${DATABASE}`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined); // The connection was never open.
  }
}

/** Creates the role that the service logs in as; the migrations grant its rights. */
async function makeServiceRole({ port, password, servicePassword }: Remembered): Promise<void> {
  const client = new pg.Client({ connectionString: `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}` });
  client.on('error', () => undefined); // The query that fails reports it.
  await client.connect();
  try {
    await ensureLogin(client, SERVICE_ROLE, servicePassword, true);
  } finally {
    await client.end();
  }
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

async function chooseFolder(dataDir: string, binaries: Binaries): Promise<string> {
  const inside = path.resolve(dataDir, 'postgres');
  if (!binaries.runAs || (await reachable(inside))) return inside;
  const mark = createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 12);
  const outside = path.join(outsideFolder(), mark, 'postgres');
  await writeFile(path.join(dataDir, 'database-location'), `${outside}\n`);
  return outside;
}

async function postmasterPid(folder: string): Promise<number | null> {
  const text = await readFile(path.join(folder, 'postmaster.pid'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const pid = Number(text?.split('\n')[0]);
  return pid > 0 ? pid : null; // The file is empty for a moment after it was created.
}
