// Lets Node.js import the TypeScript of src and test. Its steps run in a thread beside the tests.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const { $schema: _, ...options } = JSON.parse(readFileSync(new URL('../../.swcrc', import.meta.url), 'utf8'));

/** The module that a TypeScript file names `./name.js` is `./name.ts`. */
export async function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.split('?')[0].endsWith('.ts')) {
    const typescript = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(typescript)) return { url: typescript.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.split('?')[0].endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(readFileSync(filename, 'utf8'), {
    ...options,
    filename,
    swcrc: false,
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
