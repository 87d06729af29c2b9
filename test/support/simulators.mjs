// The simulators are TypeScript; programs outside of jest import them as one file.
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Returns the module of the simulators. */
export async function simulators() {
  const outfile = path.join(mkdtempSync(path.join(os.tmpdir(), 'talent-bridge-')), 'simulators.mjs');
  await build({
    entryPoints: [path.join(ROOT, 'test/simulators/index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  return import(outfile);
}
