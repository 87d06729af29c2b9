// `npm run check`: types, lint, format, the arrows between the rooms, no unused export, and no package that is not in the table of dependencies.
import { prepare, run } from './prepare.mjs';
import { checkDependencies } from './check-dependencies.mjs';
import { checkExports } from './check-exports.mjs';
import { checkTables } from './check-tables.mjs';

await prepare();
const node = (script, ...args) => run(process.execPath, [`node_modules/${script}`, ...args], { stdio: 'inherit' });
node('typescript/bin/tsc', '-p', '.');
node('eslint/bin/eslint.js', 'src', 'test', '--max-warnings', '0');
node('prettier/bin/prettier.cjs', '--check', '.');
node('dependency-cruiser/bin/dependency-cruise.mjs', 'src', '--config', '.dependency-cruiser.mjs');
checkTables();
checkExports();
checkDependencies();
console.log('all checks passed');
