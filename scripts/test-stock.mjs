// `npm run test:stock`: the tests of SCIM conversations and of plans on a PostgreSQL with the settings of its package
// (Debian's where it is installed). Arguments replace the list of specs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { prepare } from './prepare.mjs';

const SPECS = [
  'test/journeys/scim-scenarios',
  'test/base/database/plans',
  'test/seats/seats.api',
  'test/directory-sync/scim-groups',
];

await prepare();
const { startStockPostgres } = await import('../test/support/stock-postgres.mjs');
const server = await startStockPostgres();
const given = process.argv.slice(2);
const child = spawn(process.execPath, ['scripts/test.mjs', ...(given.length > 0 ? given : SPECS)], {
  stdio: 'inherit',
  env: { ...process.env, TEST_DATABASE_URL: server.url('postgres') },
});
process.on('SIGINT', () => undefined);
const [code] = await once(child, 'exit');
await server.stop();
process.exit(code ?? 1);
