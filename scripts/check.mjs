// `npm run check`: types, lint, format, the arrows between the rooms, no order by a cast, no unused export, and no package that is not in the table of dependencies.
import { prepare, run } from './prepare.mjs';

await prepare();
// The checks import packages that `prepare` installs on a fresh clone.
const { checkDependencies } = await import('./check-dependencies.mjs');
const { checkExports } = await import('./check-exports.mjs');
const { checkOrders } = await import('./check-orders.mjs');
const { checkTables } = await import('./check-tables.mjs');
const CACHE = ['--cache', '--cache-strategy', 'content'];
const node = (script, ...args) => run(process.execPath, [`node_modules/${script}`, ...args], { stdio: 'inherit' });
// What did not change since the last run is not looked at again.
node('typescript/bin/tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', '.data/check/types.json');
node('eslint/bin/eslint.js', 'src', 'test', '--max-warnings', '0', ...CACHE, '--cache-location', '.data/check/eslint');
node('prettier/bin/prettier.cjs', '--check', '.', ...CACHE, '--cache-location', '.data/check/prettier');
node('dependency-cruiser/bin/dependency-cruise.mjs', 'src', '--config', '.dependency-cruiser.mjs');
checkTables();
checkOrders();
checkExports();
checkDependencies();
console.log('all checks passed');
