// `npm run dev`: the service from the sources, built and started anew after each change. Settings are those of `npm start`.
import { spawn } from 'node:child_process';
import { helpOf, prepare } from './prepare.mjs';

helpOf();
await prepare();
const compiler = spawn(
  process.execPath,
  [
    'node_modules/@swc/cli/bin/swc.js',
    'src',
    '-d',
    'dist',
    '--strip-leading-paths',
    '--extensions',
    '.ts',
    '--copy-files',
    '--watch',
    '--quiet',
  ],
  { stdio: 'inherit' },
);
// Without the one file of all modules that `npm start` runs: node watches the modules.
const service = spawn(process.execPath, ['--watch', '--watch-preserve-output', 'scripts/run-service.mjs'], {
  stdio: 'inherit',
});
const stop = () => {
  compiler.kill();
  service.kill('SIGTERM');
};
process.on('SIGINT', () => undefined);
process.on('SIGTERM', stop);
service.on('exit', (code) => {
  compiler.kill();
  process.exit(code ?? 0);
});
