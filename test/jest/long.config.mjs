// `npm run test:long`: the specs that are long as a whole, and all rounds of those that go in rounds, or the share TEST_ROUNDS.
import fs from 'node:fs';
import path from 'node:path';
import all from './all.config.mjs';
import { ELSEWHERE, specs } from './specs.mjs';

process.env.TEST_ROUNDS ??= 'all';

const ROUNDS = /support\/(?:rounds|growth)\.js'/;
const isLong = (file) =>
  file !== ELSEWHERE && (file.endsWith('.long.spec.ts') || ROUNDS.test(fs.readFileSync(file, 'utf8')));

const { testRegex: _, ...rest } = all;
export default {
  ...rest,
  testMatch: specs()
    .filter(isLong)
    .map((file) => path.posix.join('<rootDir>', file)),
};
