// `npm run check`: types, lint, format, the arrows between the rooms, no order by a cast, no unused export, a spec for each pure file, no file made from the code that is out of date, no package that is not in the table of dependencies, no phrase that has to be read twice, and no page of the console that is too large.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { helpOf, prepare } from './prepare.mjs';

helpOf();
await prepare();
// The checks import packages that `prepare` installs on a fresh clone.
const { checkDependencies } = await import('./check-dependencies.mjs');
const { checkFolders } = await import('./check-folders.mjs');
const { checkExports } = await import('./check-exports.mjs');
const { checkOrders } = await import('./check-orders.mjs');
const { checkSizes } = await import('./check-sizes.mjs');
const { checkSpecs } = await import('./check-specs.mjs');
const { checkTables } = await import('./check-tables.mjs');
const { checkWebSize } = await import('./check-web-size.mjs');
const { checkWords } = await import('./check-words.mjs');

/** A file that did not change since the last run is not looked at again. */
const cached = (tool) => ['--cache', '--cache-strategy', 'content', '--cache-location', `.data/check/${tool}`];
const TYPES = ['typescript/bin/tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', '.data/check/types.json'];
const WEB_TYPES = [
  'typescript/bin/tsc',
  '-p',
  'web',
  '--incremental',
  '--tsBuildInfoFile',
  '.data/check/web-types.json',
];
const LINT = ['eslint/bin/eslint.js', 'src', 'test', 'web', '--max-warnings', '0', ...cached('eslint')];
const FORMAT = ['prettier/bin/prettier.cjs', '--check', '.', ...cached('prettier')];
/** The files that are made from the code: the reference, and the operations of the command line. */
const MADE = ['../dist/cli/reference/write-reference.js', '--check'];
const ARROWS = ['dependency-cruiser/bin/dependency-cruise.mjs', 'src', 'web', '--config', '.dependency-cruiser.mjs'];

/** Runs a program of a package; returns whether it ended well, after its output was printed as a whole. */
async function passes([script, ...args]) {
  const child = spawn(process.execPath, [`node_modules/${script}`, ...args]);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  const [code] = await once(child, 'close');
  process.stdout.write(Buffer.concat(output));
  return code === 0;
}

// Lint takes as long as the others together.
const others = async () => [
  await passes(TYPES),
  await passes(WEB_TYPES),
  await passes(FORMAT),
  await passes(ARROWS),
  await passes(MADE),
];
const results = (await Promise.all([passes(LINT), others()])).flat();
if (results.includes(false)) process.exit(1);
checkTables();
checkFolders();
checkOrders();
checkExports();
checkSpecs();
checkSizes();
checkDependencies();
checkWords();
checkWebSize();
console.log('all checks passed');
