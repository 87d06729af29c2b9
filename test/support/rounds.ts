const ALL = process.env['TEST_ROUNDS'] === 'all';

/** Returns how many rounds of a long test run: all of them in `npm run test:long`, else a tenth, and at least `least`. */
export function rounds(all: number, least = 1): number {
  return ALL ? all : Math.max(least, Math.round(all / 10));
}

/** Returns the cases of a long test that run: all of them in `npm run test:long`, else every tenth. */
export function someOf<T>(all: readonly T[]): readonly T[] {
  return ALL ? all : all.filter((_, i) => i % 10 === 0);
}
