// Runs a script against the built service, after installing and building what is missing.
import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';

await prepare();
const child = spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit' });
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => process.exit(code ?? 1));
