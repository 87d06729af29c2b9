import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROBLEM_CODES } from '../../src/operations/docs/problem-codes.js';

const SRC = path.resolve(import.meta.dirname, '../../src');
const sources = (readdirSync(SRC, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.startsWith('sandbox') && !file.startsWith('cli'))
  .map((file) => readFileSync(path.join(SRC, file), 'utf8'));

/** The codes that refusals are written with: `readonly code = '…'`, and the first word of the general ones. */
function codes(): Set<string> {
  const found = new Set<string>();
  for (const text of sources) {
    for (const [, code] of text.matchAll(/readonly code(?:: [^=;]*)? = '([a-z_]+)'/g)) found.add(code!);
    for (const [, union] of text.matchAll(/readonly code: ((?:'[a-z_]+'(?: \| )?)+);/g)) {
      for (const [, code] of union!.matchAll(/'([a-z_]+)'/g)) found.add(code!);
    }
    for (const [, code] of text.matchAll(/new Conflict\(\s*'([a-z_]+)'/g)) found.add(code!);
    for (const [, code] of text.matchAll(/new MalformedRequest\([^;]*?, '([a-z_]+)'/g)) found.add(code!);
  }
  return found;
}

it('every code in the source is explained', () => {
  const found = codes();
  expect(found.size).toBeGreaterThan(20);
  expect([...found].filter((code) => !(code in PROBLEM_CODES)).sort()).toEqual([]);
});
