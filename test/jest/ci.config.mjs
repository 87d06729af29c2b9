// `npm run test:ci`: every spec once, with a fifth of the rounds of those that go in rounds, another fifth each day.
import all from './all.config.mjs';
import { ELSEWHERE } from './specs.mjs';

process.env.TEST_ROUNDS ??= '0.2';

export default { ...all, testRegex: ['\\.spec\\.ts$'], testPathIgnorePatterns: [`<rootDir>/${ELSEWHERE}`] };
