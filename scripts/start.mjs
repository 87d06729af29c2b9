// `npm start` on a fresh clone: installs, builds, and runs the service. A second time it does only what is needed.
import { spawn } from 'node:child_process';
import { NODE_FLAGS, prepare } from './prepare.mjs';

await prepare();
const child = spawn(process.execPath, [...NODE_FLAGS, 'dist/main.js'], { stdio: 'inherit' });
// Ctrl-C reaches the child by itself; a SIGTERM to npm's own script has to be handed on.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
