import type { EventPlace } from './event-source.js';

/** The results of one look at the database, in this order. */
export interface Look {
  last: bigint;
  /** A transaction id taken after that; null when the sequence had not moved since the newest mark. */
  own: bigint | null;
  oldest: bigint;
  /** The start of the server: another server has transaction ids of its own. */
  started: string;
}

interface Mark {
  last: bigint;
  own: bigint;
}

/** Marks that wait for a long transaction. Halving them makes the horizon coarser and never wrong. */
const MOST = 64;

/** The sequences up to a mark are final once every transaction older than the mark is over. */
export class HorizonMarks {
  private waiting: Mark[] = [];
  private server = '';
  private proved = 0n;
  private seen = 0n;

  get horizon(): bigint {
    return this.proved;
  }

  get last(): bigint {
    return this.seen;
  }

  /** The highest sequence with a mark: a look that finds it again needs no other one. */
  get newest(): bigint {
    return this.waiting.at(-1)?.last ?? this.proved;
  }

  take({ last, own, oldest, started }: Look): void {
    // A restored database, or another server: the results of the former one no longer count.
    const isOther = this.server !== started || last < this.seen;
    if (isOther) {
      this.waiting = [];
      this.proved = 0n;
    }
    this.server = started;
    this.seen = last;
    if (own !== null) this.waiting.push({ last, own });
    const open = this.waiting.findIndex((mark) => mark.own > oldest);
    const over = open === -1 ? this.waiting.length : open;
    if (over > 0) this.proved = this.waiting[over - 1]!.last;
    this.waiting.splice(0, over);
    if (this.waiting.length > MOST)
      this.waiting = this.waiting.filter((_, i) => i % 2 === 1 || i === this.waiting.length - 1);
  }
}

export const LOWEST = '0';
export const HIGHEST = '9223372036854775807';
const USUAL = 1n << 40n;

/** Decimals without leading zeros. */
export function compareSequences(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

export function lower(a: string, b: string): string {
  return compareSequences(a, b) <= 0 ? a : b;
}

export function higher(a: string, b: string): string {
  return compareSequences(a, b) >= 0 ? a : b;
}

export function before(sequence: string): string {
  return String(BigInt(sequence) - 1n);
}

/**
 * Finds by halving a sequence after which all rows are of a moment or later: no index has the time.
 *
 * @param placeFrom returns the first row at a sequence or after it
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
