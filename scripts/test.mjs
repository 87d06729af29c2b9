// `npm test` and `npm run test:long`, `test:ci`, `test:unit`: install, build, and run specs. Arguments go to jest; files that are
// all pure specs run without build and database.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { helpOf, install, prepare } from './prepare.mjs';

helpOf();

const KINDS = { '--long': 'long', '--ci': 'ci', '--unit': 'unit' };
const kind = KINDS[process.argv[2]] ?? 'all';
const args = process.argv.slice(kind === 'all' ? 2 : 3);

process.chdir(path.resolve(import.meta.dirname, '..'));
const isUnit = kind === 'unit' || (kind === 'all' && (await arePure(args)));
if (isUnit) install();
else await prepare();
// Who names files wants all of their tests.
if (kind === 'all' && args.some((arg) => !arg.startsWith('-'))) process.env.TEST_WHOLE_FILES ??= '*';
const child = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    ...(args.includes('--config') ? [] : ['--config', `test/jest/${isUnit ? 'unit' : kind}.config.mjs`]),
    ...args,
  ],
  { stdio: 'inherit' },
);
process.on('SIGINT', () => undefined);
child.on('exit', (code) => process.exit(code ?? 1));

async function arePure(names) {
  const files = names.filter((name) => name.endsWith('.spec.ts'));
  if (files.length === 0) return false;
  const { pureSpecs } = await import('../test/jest/specs.mjs');
  const pure = new Set(pureSpecs());
  return files.every((file) => pure.has(path.posix.normalize(file)));
}
