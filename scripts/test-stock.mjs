// `npm run test:stock`: the tests of SCIM conversations and of plans on a PostgreSQL with the settings of its package
// (Debian's where it is installed). Arguments go to jest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { helpOf, prepare } from './prepare.mjs';

helpOf();
await prepare();
const { startStockPostgres } = await import('../test/support/stock-postgres.mjs');
const server = await startStockPostgres();
const child = spawn(
  process.execPath,
  ['scripts/test.mjs', '--config', 'test/jest/stock.config.mjs', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: server.url('postgres') },
  },
);
process.on('SIGINT', () => undefined);
const [code] = await once(child, 'exit');
await server.stop();
process.exit(code ?? 1);
