// `npm start` on a fresh clone: installs, builds, and runs the service. A second time it does only what is needed.
// Settings come from the environment: docs/reference/settings.md. The command line is `npm run cli -- --help`.
import { spawn } from 'node:child_process';
import { NODE_FLAGS, NODE_VARIABLES } from './node-flags.mjs';
import { helpOf, prepare } from './prepare.mjs';

helpOf();
await prepare();
const child = spawn(process.execPath, [...NODE_FLAGS, 'dist/main.js'], {
  stdio: 'inherit',
  env: { ...NODE_VARIABLES, ...process.env },
});
// Ctrl-C reaches the child as well; a SIGTERM has to be handed on. One to npm ends npm's shell and goes no further:
// then we have another parent.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
// A terminal that is closed sends it to the whole group: the service ends with it.
process.on('SIGHUP', () => child.kill('SIGHUP'));
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  child.kill('SIGTERM');
}, 250);
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
