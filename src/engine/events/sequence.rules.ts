import type { EventPlace } from './event-source.js';

/** The bounds of all sequences. */
export const LOWEST = '0';
export const HIGHEST = '9223372036854775807';
const USUAL = 1n << 40n;

/** Compares two sequences: decimals without leading zeros. */
export function compareSequences(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Returns the lower of two sequences. */
export function lower(a: string, b: string): string {
  return compareSequences(a, b) <= 0 ? a : b;
}

/** Returns the higher of two sequences. */
export function higher(a: string, b: string): string {
  return compareSequences(a, b) >= 0 ? a : b;
}

/** Returns the sequence before this one. */
export function before(sequence: string): string {
  return String(BigInt(sequence) - 1n);
}

/**
 * Finds the place in an order of rows behind which all rows are of a moment or later, by halving: no index has the time.
 *
 * @param placeFrom returns the first row at a sequence or behind it
 * @returns a sequence before the first such row
 */
export async function placeBefore(
  moment: Date,
  placeFrom: (sequence: string) => Promise<EventPlace | null>,
): Promise<string> {
  let low = 0n; // Every row up to here is older.
  // Every row from here on is younger, or there is none. A sequence of more than a million million is rare.
  let high = (await placeFrom(String(USUAL))) === null ? USUAL : BigInt(HIGHEST);
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    const place = await placeFrom(String(middle));
    if (place === null || place.at >= moment) high = middle;
    else low = BigInt(place.sequence);
  }
  return String(low);
}
