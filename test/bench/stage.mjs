// The service of a bench, on a database of its own, forwarding to a sink.
import pg from 'pg';
import { credentialsIn, freePort, freshDatabase, Service } from '../support/processes.mjs';
import { startSink } from './peers.mjs';

/** The server has the settings that PostgreSQL 15 has when nothing is set. */
const STOCK = [
  'shared_buffers=128MB',
  'max_connections=100',
  'max_wal_size=1GB',
  'checkpoint_timeout=5min',
  'random_page_cost=4',
  'jit=on',
];

/** Starts the service, its database and the sink. */
export async function startStage() {
  const database = await freshDatabase('bench', STOCK);
  const db = new pg.Pool({ connectionString: database.url, max: 2 });
  const port = await freePort();
  const sink = await startSink();
  const service = new Service({
    PORT: String(port),
    DATABASE_URL: database.url,
    DATA_DIR: database.folder,
    SANDBOX: 'off',
    PLATFORM_API_BASE_URL: sink.url,
    PLATFORM_API_KEY: 'bench',
    RATE_LIMIT: 'off',
  });
  await service.start();
  const { scim_token: token, api_key: apiKey, tenant_id: tenant } = credentialsIn(database.folder);
  return { database, db, port, sink, service, token, apiKey, tenant, origin: `http://127.0.0.1:${port}` };
}
