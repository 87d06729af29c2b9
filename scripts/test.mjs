// `npm test` on a fresh clone: installs, builds, and runs every test. Arguments go to jest.
import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';

await prepare();
const child = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
process.on('SIGINT', () => undefined);
child.on('exit', (code) => process.exit(code ?? 1));
