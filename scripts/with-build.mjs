// Runs scripts against the built service, one after the other, after installing and building what is missing. Arguments that name
// no script go to each of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { helpOf, prepare } from './prepare.mjs';

const isScript = (arg) => /^(test|scripts|dist)\/.*\.m?js$/.test(arg);
const scripts = process.argv.slice(2).filter(isScript);
const args = process.argv.slice(2).filter((arg) => !isScript(arg));

// A built file has no comment any more.
helpOf(scripts[0].replace(/^dist\/(.*)\.js$/, 'src/$1.ts'), args);
await prepare();
process.on('SIGINT', () => undefined);
for (const script of scripts) {
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
  const hand = () => child.kill('SIGTERM');
  process.once('SIGTERM', hand);
  const [code] = await once(child, 'exit');
  process.off('SIGTERM', hand);
  if (code !== 0) process.exit(code ?? 1);
}
