import 'reflect-metadata';
import { Application } from './application.js';
import type { Config } from '../base/config/config.js';
import { loadConfig } from '../base/config/load-config.js';
import { Sealer } from '../base/crypto/seal.js';
import { EmbeddedPostgres, type EmbeddedEvent } from '../base/database/embedded/embedded-postgres.js';
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
import { SANDBOX_SCHEMA, SandboxProcess } from '../sandbox/sandbox-process.js';
import { demandPorts } from './free-ports.js';
import { databaseTrouble, startFailure } from './start-failure.js';

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
