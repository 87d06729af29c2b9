// The service of a bench, on a database of its own with the settings of its package, forwarding to a sink.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { credentialsIn, freePort, Service } from '../support/processes.mjs';
import { startStockPostgres } from '../support/stock-postgres.mjs';
import { startSink } from './peers.mjs';

/**
 * Starts the service, or another program of it, with further settings and flags of Node.js, its database and the sink. `stop` stops what
 * `service.stop` has left.
 */
export async function startStage(env = {}, flags = [], entry = 'dist/main.js') {
  const server = await startStockPostgres();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-bench-'));
  const db = new pg.Pool({ connectionString: server.url(), max: 2 });
  // A connection that is being closed may be ended by the server first.
  db.on('error', (error) => {
    if (!db.ending) throw error;
  });
  const { rows } = await db.query('select version()');
  console.log(`${rows[0].version.split(',')[0]}, default settings`);
  const port = await freePort();
  const sink = await startSink();
  const service = new Service({
    PORT: String(port),
    DATABASE_URL: server.url(),
    DATA_DIR: folder,
    SANDBOX: 'off',
    PLATFORM_API_BASE_URL: sink.url,
    PLATFORM_API_KEY: 'bench',
    RATE_LIMIT: 'off',
    ...env,
  });
  service.flags = flags;
  service.entry = entry;
  await service.start();
  const { scim_token: token, api_key: apiKey, tenant_id: tenant } = credentialsIn(folder);
  const stop = async () => {
    await sink.stop();
    await db.end();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const database = { folder, server, url: server.url() };
  return { database, db, port, sink, service, token, apiKey, tenant, origin: `http://127.0.0.1:${port}`, stop };
}

/** Returns a function that makes a tenant with a directory over the API. */
export function newTenantOf({ database, origin }) {
  const operator = credentialsIn(database.folder).operator_token;
  const call = async (path, credential, body) => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  return async (name) => {
    const made = await call('/tenants', operator, { name, api_key: {} });
    const directory = await call('/directories', made.api_key, { name, guard: 'off' });
    return { tenant: made.id, directory: directory.id, token: directory.scim_token, apiKey: made.api_key };
  };
}
