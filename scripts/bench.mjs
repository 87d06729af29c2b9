// `npm run bench`: the cost of operations, or the named part of it: `npm run bench -- sign-in`. The parts are main, tenants, million,
// webhooks, ats, log, overview, sign-in, layers, preview, guard, ablate, credentials and console.
import { spawn } from 'node:child_process';
import { helpOf, prepare } from './prepare.mjs';

const PARTS = {
  main: 'bench.mjs',
  tenants: 'many-tenants.mjs',
  million: 'million.mjs',
  webhooks: 'webhooks.mjs',
  ats: 'ats.mjs',
  log: 'log.mjs',
  overview: 'overview.mjs',
  'sign-in': 'sign-in.mjs',
  layers: 'second-layer.mjs',
  preview: 'preview.mjs',
  guard: 'guard.mjs',
  ablate: 'ablate.mjs',
  credentials: 'credentials.mjs',
  console: 'console.mjs',
};

helpOf();
const [part = 'main', ...more] = process.argv.slice(2);
if (!Object.hasOwn(PARTS, part)) {
  console.error(`There is no part ${part}. The parts are ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
await prepare();
const child = spawn(process.execPath, [`test/bench/${PARTS[part]}`, ...more], { stdio: 'inherit' });
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => process.exit(code ?? 1));
