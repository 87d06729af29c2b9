import { again, DONE, failed } from '../../../src/base/work/work.js';
import { restOf } from '../../../src/engine/work/work.engine.js';

const KIND = { backoff: { firstMs: 1_000, mostMs: 60_000 } };

it.each([
  ['done', DONE, 3, 0],
  ['more to do', again(), 3, 0],
  ['more to do later', again(5_000), 0, 5_000],
  ['the first failure', failed('x'), 0, 1_000],
  ['the third failure', failed('x'), 2, 4_000],
  ['the hundredth failure', failed('x'), 99, 60_000],
  ['a failure whose server asks for a longer rest', failed('x', 90_000), 0, 90_000],
  ['a failure whose server asks for a shorter rest', failed('x', 10), 2, 4_000],
])('rests after %s', (_, outcome, failures, restMs) => {
  expect(restOf(KIND, failures, outcome)).toBe(restMs);
});
