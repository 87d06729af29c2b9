// No two folders of the source import each other: each folder has one place in an order. A room's module, which puts the
// room together, is left out.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesIn } from './check-tables.mjs';

const IMPORT = /(?:from|import\() ?'(\.[^']+)'/g;

/** The pairs of folders that import each other, each with one file of either side. */
function mutualImports() {
  const byArrow = new Map();
  for (const file of filesIn('src').filter((one) => !one.endsWith('.module.ts'))) {
    const from = path.posix.dirname(file);
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const to = path.posix.dirname(path.posix.join(from, specifier));
      if (to !== from) byArrow.set(`${from} > ${to}`, file);
    }
  }
  return [...byArrow].flatMap(([arrow, file]) => {
    const [from, to] = arrow.split(' > ');
    const back = byArrow.get(`${to} > ${from}`);
    return from < to && back !== undefined ? [`${from} and ${to} (${file}, ${back})`] : [];
  });
}

/** Fails where two folders import each other. */
export function checkFolders() {
  const pairs = mutualImports();
  if (pairs.length > 0) throw new Error(`folders that import each other:\n  ${pairs.join('\n  ')}`);
}
