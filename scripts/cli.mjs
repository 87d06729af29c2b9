// `npm run cli -- <noun> <verb> …`: installs and builds what is missing, then runs the command line.
import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';

await prepare();
const child = spawn(process.execPath, ['dist/cli.js', ...process.argv.slice(2)], { stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));
