// `npm run build:report`: the sizes of the files of the console, and whether a page is too large.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const BUILT = 'web/dist/console';
const KB = 1024;
/** The most that the first page loads, one part that comes later, and all files together, compressed with gzip. */
const LIMITS = { first: 160 * KB, files: 8, part: 60 * KB, all: 1_200 * KB };

const size = (name) => statSync(path.join(BUILT, `${name}.gz`)).size;

/** Returns how large the built console is, in bytes of gzip. */
export function webSizes() {
  const document = readFileSync(path.join(BUILT, 'index.html'), 'utf8');
  const first = ['index.html', ...[...document.matchAll(/assets\/([^"]+)"/g)].map(([, name]) => name)];
  const all = readdirSync(BUILT).filter((name) => !/\.(br|gz)$/.test(name));
  return {
    first: first.reduce((sum, name) => sum + size(name), 0),
    files: first.length,
    part: Math.max(...all.filter((name) => !first.includes(name)).map(size)),
    all: all.reduce((sum, name) => sum + size(name), 0),
  };
}

/** Fails where the console is larger than its limits. */
export function checkWebSize() {
  const sizes = webSizes();
  const over = Object.keys(LIMITS).filter((name) => sizes[name] > LIMITS[name]);
  if (over.length > 0)
    throw new Error(over.map((name) => `${name}: ${sizes[name]}, at most ${LIMITS[name]}`).join('\n'));
  return sizes;
}

if (process.argv[1] === import.meta.filename) console.log(checkWebSize());
