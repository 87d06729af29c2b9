/** How long polls of a connection rest after a failure. */
export const REST_MS = { first: 15_000, most: 3_600_000 };

/** Returns how long the polls of a connection rest after failures. */
export function backoffMs(failures: number): number {
  return Math.min(REST_MS.first * 2 ** Math.min(failures, 20), REST_MS.most);
}
