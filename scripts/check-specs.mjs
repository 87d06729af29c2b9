// Every pure file has a spec: a table of cases that needs no database. `*.rules.ts` and `*.mapping.ts` have theirs at their own path
// below `test`; a file of a protocol is imported by a spec of `test/protocols`, since one spec walks through several files.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { filesIn } from './check-tables.mjs';

const IMPORT = /(?:from|import\() ?'(\.[^']+)'/g;

/** Returns the files of the source that a file imports. */
function importsOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, specifier]) =>
    path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts'),
  );
}

/** Returns the files of protocols that no spec reaches, directly or through other files of protocols. */
function unreached() {
  const open = filesIn('test/protocols').flatMap(importsOf);
  const reached = new Set();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file) || !file.startsWith('src/protocols/') || !existsSync(file)) continue;
    reached.add(file);
    open.push(...importsOf(file));
  }
  return filesIn('src/protocols').filter((file) => !file.endsWith('.module.ts') && !reached.has(file));
}

/** Fails where a pure file has no spec. */
export function checkSpecs() {
  const alone = filesIn('src')
    .filter((file) => /\.(rules|mapping)\.ts$/.test(file))
    .filter((file) => !existsSync(file.replace(/^src/, 'test').replace(/\.ts$/, '.spec.ts')));
  const missing = [...alone, ...unreached()];
  if (missing.length > 0) throw new Error(`pure files without a spec:\n  ${missing.join('\n  ')}`);
}
