// The promise under test: programs that read the description of the API do not stop at it. A linter finds no error, two
// generators make a client, and the clients compile with strict types. The description is that of the built service: its
// bundler once renamed a class that the description refers to.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort, freshDatabase, Service } from '../support/processes.mjs';

const HERE = import.meta.dirname;
const MADE = path.resolve(HERE, '../../.data/clients');

/** Runs a program in the folder of the generators, whose packages have a lock file of their own. */
function run(program, ...args) {
  const began = performance.now();
  execFileSync(program, args, { cwd: HERE, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`ok   ${[program, ...args].join(' ')}   ${seconds} s`);
}

const inPackages = (script) => path.join('node_modules', script);
const node = (script, ...args) => run(process.execPath, inPackages(script), ...args);

rmSync(MADE, { recursive: true, force: true });
mkdirSync(MADE, { recursive: true });
const description = path.join(MADE, 'openapi.json');
const database = await freshDatabase('clients-database');
const port = await freePort();
const service = new Service({
  PORT: String(port),
  DATABASE_URL: database.url,
  DATA_DIR: database.folder,
  SANDBOX: 'off',
  LOG_LEVEL: 'error',
});
try {
  await service.start();
  const answer = await fetch(`http://127.0.0.1:${port}/docs/openapi.json`);
  writeFileSync(description, await answer.text());
} finally {
  await service.stop();
  await database.server.stop();
}

run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
node('@redocly/cli/bin/cli.js', 'lint', '--config', 'redocly.yaml', description);
node('openapi-typescript/bin/cli.js', description, '-o', path.join(MADE, 'types.ts'));
node(
  '@hey-api/openapi-ts/bin/run.js',
  '-i',
  description,
  '-o',
  path.join(MADE, 'client'),
  '-c',
  '@hey-api/client-fetch',
);
node('typescript/bin/tsc', '-p', '.');
console.log('the description serves its generators');
