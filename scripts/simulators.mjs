// Compiles the simulators of test/simulators, for scripts and benches that run without jest.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Returns the module of test/simulators/index.ts. `name` keeps two callers at once apart. */
export async function simulators(name = 'demo') {
  const out = path.join(ROOT, 'node_modules', '.cache', `ats-simulators-${name}`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  // Below node_modules the package of the repository does not say that files are modules.
  writeFileSync(path.join(out, 'package.json'), '{"type":"module"}');
  const cli = path.join(ROOT, 'node_modules/@swc/cli/bin/swc.js');
  const flags = ['-d', out, '--strip-leading-paths', '--extensions', '.ts', '--quiet'];
  const { status } = spawnSync(process.execPath, [cli, 'test/simulators', ...flags], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error('The simulators cannot be compiled.');
  process.env.ATS_SAMPLES ??= path.join(ROOT, 'test/simulators/samples');
  return import(pathToFileURL(path.join(out, 'simulators/index.js')).href);
}
