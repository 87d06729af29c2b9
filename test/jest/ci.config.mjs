// `npm run test:ci`: what `npm test` runs, and a fifth of the specs that are long as a whole. Another fifth comes each day.
import path from 'node:path';
import all from './all.config.mjs';
import { ELSEWHERE, specs } from './specs.mjs';

const DAYS = 5;
const today = Math.floor(Date.now() / 86_400_000);
// The cases of a spec change when all of them had their turn: with the day, each long spec would meet the same ones again.
process.env.TEST_CASES ??= String(Math.floor(today / DAYS));

const long = specs().filter((file) => file.endsWith('.long.spec.ts') && file !== ELSEWHERE);
const others = specs().filter((file) => !file.endsWith('.long.spec.ts'));
const turn = long.sort().filter((_, i) => i % DAYS === today % DAYS);

const { testRegex: _, ...rest } = all;
export default { ...rest, testMatch: [...others, ...turn].map((file) => path.posix.join('<rootDir>', file)) };
