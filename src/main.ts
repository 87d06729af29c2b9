import 'reflect-metadata';
import { Application } from './application.js';
import { ConfigError, type Config } from './base/config/config.js';
import { loadConfig } from './base/config/load-config.js';
import { EmbeddedPostgres } from './base/database/embedded/embedded-postgres.js';
import { createDemoTenant, credentialsFile, readCredentials } from './first-run.js';
import { SandboxProcess } from './sandbox-process.js';

const say = (line = ''): boolean => process.stderr.write(`${line}\n`);

try {
  await main(loadConfig(process.env));
} catch (error) {
  if (error instanceof ConfigError) say(error.message);
  else say(`talent-bridge could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exit(1);
}

/** Database, sandbox, application: started in this order, stopped in the reverse one. */
async function main(config: Config): Promise<void> {
  const embedded = config.databaseUrl === null ? await EmbeddedPostgres.start(config.dataDir) : null;
  const url = config.databaseUrl ?? embedded!.url();
  const app = await Application.create(config, url);
  const wanted = config.sandbox.enabled === 'on' || (config.sandbox.enabled === 'auto' && embedded !== null);
  const sandbox = wanted ? await SandboxProcess.start(url, config.sandbox.port) : null;
  if (!config.production) await createDemoTenant(app, sandbox?.url ?? null);
  await app.listen();
  app.startWork();
  await announce(config, sandbox?.url ?? null, embedded);

  let stopping: Promise<void> | undefined;
  const stop = (signal: string): void => {
    if (stopping) return; // a second Ctrl-C must not cut short what the first one began
    say(`${signal}: finishing what is under way …`);
    stopping = app
      .stop()
      .then(() => sandbox?.stop())
      .then(() => embedded?.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          say(`stopping failed: ${String(error)}`);
          process.exit(1);
        },
      );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
}

async function announce(config: Config, sandboxUrl: string | null, embedded: EmbeddedPostgres | null): Promise<void> {
  const credentials = await readCredentials(config);
  say();
  say('  talent-bridge is ready');
  say();
  say(`  SCIM address    ${config.baseUrl}/scim/v2`);
  say(`  API and docs    ${config.baseUrl}/docs`);
  say(`  Console         ${config.baseUrl}/console`);
  if (sandboxUrl)
    say(`  Sandbox         ${sandboxUrl}   (the hiring platform’s stand-in: what arrived, faults on request)`);
  if (credentials) say(`  Credentials     ${credentialsFile(config)}   (scim_token, api_key, operator_token)`);
  if (embedded) say(`  Database        ${embedded.folder}`);
  if (credentials) {
    const read = `$(node -p "require('${credentialsFile(config)}').scim_token")`;
    say();
    say('  Try it:');
    say(`    curl -s ${config.baseUrl}/scim/v2/Users -H "Authorization: Bearer ${read}" \\`);
    say(`      -H 'Content-Type: application/scim+json' -d '{"userName":"bjensen@example.com"}'`);
  }
  say();
}
