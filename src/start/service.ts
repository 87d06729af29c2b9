import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import 'reflect-metadata';
import { type Config, ConfigError } from '../base/config/config.js';
import { loadConfig } from '../base/config/load-config.js';
import { Sealer } from '../base/crypto/seal.js';
import { EmbeddedPostgres, type EmbeddedEvent } from '../base/database/embedded/embedded-postgres.js';
import { PlainFailure } from '../base/errors/domain-error.js';
import { SANDBOX_SCHEMA, SandboxProcess } from '../sandbox/sandbox-process.js';
import { Application } from './application.js';
import { waitForDatabase } from './data-source.js';
import { prepareSandbox } from './database-access.js';
import {
  consoleAddress,
  createDemoTenant,
  credentialsFile,
  readCredentials,
  refreshCredentials,
  type Credentials,
} from './first-run.js';

/** The sandbox of a killed service keeps its port for a moment. */
const SANDBOX_WAIT_MS = 3_000;

/**
 * Checks that the ports of this process differ and are free, by listening on each for a moment. 0 is any free port.
 *
 * @throws {PlainFailure} with the setting whose port is taken
 * @throws {NodeJS.ErrnoException} when this user may not listen on a port
 */
export async function demandPorts({ port, metrics, sandbox }: Config, withSandbox: boolean): Promise<void> {
  const wanted = [{ setting: 'PORT', port }];
  if (metrics.port !== null) wanted.push({ setting: 'METRICS_PORT', port: metrics.port });
  if (withSandbox) wanted.push({ setting: 'SANDBOX_PORT', port: sandbox.port });
  for (const [i, one] of wanted.entries()) {
    const other = wanted.slice(0, i).find((before) => before.port === one.port && one.port !== 0);
    if (other !== undefined) throw new PlainFailure(`${one.setting} must be another port than ${other.setting}.`);
    await demandPort(one.port, one.setting);
  }
}

async function demandPort(port: number, setting: string): Promise<void> {
  const isOfSandbox = setting === 'SANDBOX_PORT';
  const deadline = performance.now() + (isOfSandbox ? SANDBOX_WAIT_MS : 0);
  while (!(await isFree(port, isOfSandbox ? '127.0.0.1' : undefined))) {
    if (performance.now() < deadline) await sleep(100);
    else throw portTaken(port, setting);
  }
}

async function isFree(port: number, host: string | undefined): Promise<boolean> {
  const server = net.createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  await once(server.close(), 'close');
  return true;
}

function portTaken(port: number, setting: string): PlainFailure {
  const otherwise = setting === 'SANDBOX_PORT' ? ', or SANDBOX=off' : '';
  return new PlainFailure(`port ${port} is taken by another program; set ${setting} to a free one${otherwise}.`);
}

interface SystemError extends Error {
  code?: string;
  syscall?: string;
  port?: number;
  address?: string;
  path?: string;
  setting?: string;
}

/** SQLSTATEs and system codes with which a database does not let us in. */
const DATABASE: Record<string, string> = {
  ECONNREFUSED: 'nothing answers at the host and port of DATABASE_URL',
  ENOTFOUND: 'the host of DATABASE_URL is not known',
  EAI_AGAIN: 'the host of DATABASE_URL cannot be looked up just now',
  ECONNRESET: 'the host of DATABASE_URL ends each connection',
  ETIMEDOUT: 'the host of DATABASE_URL does not answer',
  '28P01': 'the database refuses the user or password of DATABASE_URL',
  '28000': 'the database does not let the user of DATABASE_URL in',
  '3D000': 'the database that DATABASE_URL names does not exist',
  '42501': 'the user of DATABASE_URL may not create tables in it',
  '53300': 'all connections of the database of DATABASE_URL are taken',
  '57P01': 'the database of DATABASE_URL is shutting down',
  '57P03': 'the database of DATABASE_URL is starting up or shutting down',
};

/** Codes with which the system refuses a folder or a file below DATA_DIR. */
const FILES = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ELOOP', 'ENAMETOOLONG']);

/** Why the database does not let the service in yet, as a sentence. */
export function databaseTrouble(error: unknown): string {
  return `Waiting for the database: ${failureReason(error)}`;
}

/** Why the start failed, in words for the operator. An unexpected error keeps its stack. */
export function startFailure(error: unknown): string {
  return error instanceof ConfigError ? error.message : `talent-bridge could not start: ${failureReason(error)}`;
}

/** Why a part of a start failed, as a sentence; the stack of an unexpected error. */
export function failureReason(error: unknown): string {
  const { code = '', syscall, port, path, setting, message, stack } = (error ?? {}) as Partial<SystemError>;
  if (code === 'EADDRINUSE') return `port ${port} is taken by another program; set PORT to a free one.`;
  if (code === 'EACCES' && syscall === 'listen') {
    return `port ${port} is not for ordinary users; set PORT to one above 1023.`;
  }
  const database = DATABASE[code];
  if (database !== undefined) return `${database.replace('DATABASE_URL', setting ?? 'DATABASE_URL')} (${code}).`;
  if (error instanceof PlainFailure) return error.message;
  // Of these calls a start makes folders and files in DATA_DIR alone.
  if (FILES.has(code) && path !== undefined && (syscall === 'mkdir' || syscall === 'open')) {
    return `${path} cannot be made (${code}); set DATA_DIR to a folder that the service may write to.`;
  }
  return stack ?? message ?? String(error);
}

/** In production each message of the start is a log line in JSON. */
const asJson = process.env['NODE_ENV'] === 'production';
const say = (line = '', level = 'info'): boolean =>
  process.stderr.write(`${asJson ? JSON.stringify({ level, time: new Date().toISOString(), message: line }) : line}\n`);

/** What has been started so far: stopped in the reverse order. */
const parts: { stop(): Promise<void> }[] = [];
let stopping: Promise<void> | undefined;

const HELP = `talent-bridge: SCIM, sign-in, seats and ATS of a hiring platform.

  npm start                 install, build, and run the service; settings come from the environment
  npm run cli -- --help     the command line, a client of a running service

Settings: docs/reference/settings.md. Without any the service makes a database and a demo tenant below .data/ and
listens on port 3000.`;

/** Runs the service with the settings of the environment until a signal ends the process, or a failure of the start. */
export async function run(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  listenToProcess();
  try {
    await main(loadConfig(process.env));
  } catch (error) {
    if (!stopping) {
      const reason = startFailure(error);
      say(reason, 'fatal');
      // Also in plain words: the operator who starts the service by hand reads a terminal and no collector of logs.
      if (asJson) process.stderr.write(`${reason}\n`);
      await end(1);
    }
  }
}

function listenToProcess(): void {
  // A closed pipe on standard output or error must not end the service. A message about it would fail in the same way.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return; // a second Ctrl-C must not cut short what the first one began
      say(`${signal}: finishing what is under way …`);
      void end(0);
    });
  }

  // After an uncaught error the state of the process is unknown: it is logged, running work is finished, the process ends.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      const line = { level: 'fatal', message: event, error: error instanceof Error ? error.stack : String(error) };
      process.stderr.write(`${JSON.stringify(line)}\n`);
      if (!stopping) void end(1);
    });
  }
}

/**
 * Ports, database, sandbox, application, in this order: a start that fails for a setting or a port must not have migrated
 * the database of the processes that run.
 */
async function main(config: Config): Promise<void> {
  const withSandbox = wantsSandbox(config);
  await demandPorts(config, withSandbox);
  const embedded = config.databaseUrl === null ? await EmbeddedPostgres.start(config.dataDir) : null;
  if (embedded) {
    parts.push(embedded);
    embedded.keepUp(embeddedEvent);
  }
  const url = config.databaseUrl ?? embedded!.serviceUrl();
  const ownerUrl = embedded?.url() ?? config.migrationDatabaseUrl;
  const waiting = (error: unknown): boolean => say(`${databaseTrouble(error)} Trying again …`, 'warn');
  await waitForDatabase(ownerUrl ?? url, {
    waiting,
    setting: ownerUrl === null ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL',
  });
  const sandboxAddress = withSandbox ? await prepareSandboxOf(config, ownerUrl ?? url) : null;
  const app = await Application.create(config, url, ownerUrl, { dataFolder: embedded && config.dataDir, waiting });
  parts.push(app);
  for (const words of app.warnings) say(`WARNING: ${words}`, 'warn');
  const sandbox = sandboxAddress === null ? null : await SandboxProcess.start(sandboxAddress, config.sandbox.port);
  if (sandbox) parts.splice(-1, 0, sandbox); // the application still sends to it while it stops
  if (config.role === 'worker') return serveWorker(app);
  if (!config.production && !(await createDemoTenant(app, sandbox?.url ?? null))) {
    await refreshCredentials(app, sandbox?.url ?? null);
  }
  // A database that ends while the service already answers must not end the start.
  const credentials = asJson ? null : await readCredentials(config);
  const consoleUrl = credentials === null ? null : await consoleAddress(app, credentials);
  await app.listen();
  app.startWork();
  if (asJson) return; // the line `started` says it
  announce(app, { credentials, consoleUrl, sandboxUrl: sandbox?.url ?? null, embedded });
}

/**
 * Serves health and metrics, and works. A worker makes no tenant, no credentials and no link to the console: their
 * addresses would lead to its own port, which answers none of them.
 */
async function serveWorker(app: Application): Promise<void> {
  await app.listen();
  app.startWork();
  if (asJson) return; // the line `started` says it
  say(`talent-bridge works (ROLE=worker); port ${app.config.port} serves /healthz, /readyz and /metrics alone.`);
}

/** A sandbox runs beside an embedded database, except where a worker joins the processes that serve. */
function wantsSandbox({ sandbox, databaseUrl, role }: Config): boolean {
  return sandbox.enabled === 'on' || (sandbox.enabled === 'auto' && databaseUrl === null && role !== 'worker');
}

/** The sandbox has a role of its own, whose password follows from the encryption key: equal in every process. */
async function prepareSandboxOf(config: Config, ownerUrl: string): Promise<string> {
  const password = new Sealer(config.encryptionKeys).derive('sandbox role').toString('base64url');
  return prepareSandbox(ownerUrl, SANDBOX_SCHEMA, password);
}

/** Handles the end of an embedded database that no command has ended. Without a database the process is of no use. */
function embeddedEvent(event: EmbeddedEvent, error?: Error): void {
  const detail = error === undefined ? {} : { error: error.message };
  const level = event === 'restarted' ? 'warn' : 'error';
  const line = { level, time: new Date().toISOString(), message: `embedded database ${event}`, ...detail };
  process.stderr.write(`${JSON.stringify(line)}\n`);
  if (event === 'lost' && !stopping) void end(1);
}

async function end(code: number): Promise<void> {
  stopping = (async () => {
    for (const part of parts.splice(0).reverse()) await part.stop();
  })();
  try {
    await stopping;
  } catch (error) {
    say(`stopping failed: ${String(error)}`, 'error');
    process.exit(1);
  }
  process.exit(code);
}

interface Started {
  credentials: Credentials | null;
  consoleUrl: string | null;
  sandboxUrl: string | null;
  embedded: EmbeddedPostgres | null;
}

function announce({ config }: Application, { credentials, consoleUrl, sandboxUrl, embedded }: Started): void {
  say();
  say('  talent-bridge is ready');
  say();
  say(`  SCIM address    ${config.baseUrl}/scim/v2`);
  if (consoleUrl) {
    say(`  Console         ${consoleUrl}`);
    say('                  (once, for ten minutes; another: npx talent-bridge console link --reason …)');
  }
  say(`  API and docs    ${config.baseUrl}/docs`);
  if (sandboxUrl)
    say(`  Sandbox         ${sandboxUrl}   (the hiring platform’s stand-in: what arrived, faults on request)`);
  if (credentials) say(`  Credentials     ${credentialsFile(config)}   (scim_token, api_key, operator_token)`);
  say(`  Encryption      ${keysInWords(config)}`);
  if (embedded) say(`  Database        ${embedded.folder}`);
  if (credentials) {
    const read = `$(node -p "require('${credentialsFile(config)}').scim_token")`;
    say();
    say('  Try it:');
    say(`    curl -s ${config.baseUrl}/scim/v2/Users -H "Authorization: Bearer ${read}" \\`);
    say(`      -H 'Content-Type: application/scim+json' -d '{"userName":"bjensen@example.com"}'`);
    if (sandboxUrl) say(`  It is at ${sandboxUrl} a moment later. What is where: npx talent-bridge status`);
    say(`  Next, your IdP: ${config.baseUrl}/docs/connect   or your ATS: ${config.baseUrl}/docs/ats/connect`);
  }
  say();
}

/** The ids of the encryption keys: what stands beside a sealed secret, and what a key is put back by. */
function keysInWords({ encryptionKeys }: Config): string {
  const [current, ...older] = encryptionKeys.map(({ id }) => id);
  return older.length === 0 ? `key ${current} seals` : `key ${current} seals; ${older.join(', ')} still open`;
}
