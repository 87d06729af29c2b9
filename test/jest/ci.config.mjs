// `npm run test:ci`: what `npm test` runs, and a fifth of what is long: specs that are long as a whole, and specs with long
// tests. Another fifth comes each day.
import fs from 'node:fs';
import path from 'node:path';
import all from './all.config.mjs';
import { ELSEWHERE, specs } from './specs.mjs';

const DAYS = 5;
const today = Math.floor(Date.now() / 86_400_000);
const inTurn = (files) => files.filter((_, i) => i % DAYS === today % DAYS);
// The cases of a spec change when all of them had their turn: with the day, each long spec would meet the same ones again.
process.env.TEST_CASES ??= String(Math.floor(today / DAYS));

const known = specs().sort();
const long = known.filter((file) => file.endsWith('.long.spec.ts') && file !== ELSEWHERE);
const others = known.filter((file) => !file.endsWith('.long.spec.ts'));
const partly = others.filter((file) => /support\/rounds\.js'/.test(fs.readFileSync(file, 'utf8')));
process.env.TEST_WHOLE_FILES ??= inTurn(partly).join('\n');

const { testRegex: _, ...rest } = all;
export default {
  ...rest,
  testMatch: [...others, ...inTurn(long)].map((file) => path.posix.join('<rootDir>', file)),
};
