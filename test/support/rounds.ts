import { expect } from 'expect';

const SET = process.env['TEST_ROUNDS'] ?? '0.1';
const SHARE = SET === 'all' ? 1 : Number(SET);
/** Which of the shares: CI takes others from time to time, so that all cases have their turn. */
const FIRST = Number(process.env['TEST_CASES'] ?? 0);
/**
 * The spec files that run whole: `*` for all, where files are named to `npm test`; in CI some, which are others each day, as paths
 * from the root of the repository.
 */
const WHOLE = (process.env['TEST_WHOLE_FILES'] ?? '').split('\n').filter((file) => file !== '');

/** Tells whether the spec file that is being read runs whole. */
function isWhole(): boolean {
  if (SHARE === 1 || WHOLE.includes('*')) return true;
  const { testPath = '' } = expect.getState();
  return WHOLE.some((file) => testPath.endsWith(`/${file}`));
}

/** A run with a share of the rounds, like `npm run test:long`, has all long tests. */
const chosen = (): jest.It => (process.env['TEST_ROUNDS'] !== undefined || isWhole() ? test : test.skip);

/**
 * `test` of jest for a test that takes long, over a third of a second. `npm test` without names
 * of files leaves it out; `npm run test:long` runs it, and CI on one day of five.
 */
export const long = Object.assign((...given: Parameters<jest.It>): void => chosen()(...given), {
  /** `test.each` of jest, for the same tests. */
  get each(): jest.Each {
    return chosen().each;
  },
});

/**
 * Returns how many rounds of a long test run: all of them in `npm run test:long`, the share `TEST_ROUNDS` where it is set, else
 * a tenth; and at least `least`.
 */
export function rounds(all: number, least = 1): number {
  return Math.min(all, Math.max(least, Math.round(all * SHARE)));
}

/** Returns the cases of a long test that run, of the same share as {@link rounds}, and at least one. */
export function someOf<T>(all: readonly T[]): readonly T[] {
  const step = isWhole() ? 1 : Math.round(1 / SHARE);
  const chosen = all.filter((_, i) => i % step === FIRST % step);
  return chosen.length > 0 ? chosen : all.slice(0, 1);
}
