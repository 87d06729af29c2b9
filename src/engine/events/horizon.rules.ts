import type { EventPlace } from './event-source.js';

/** What one look at the database has seen, in this order. */
export interface Look {
  /** The last sequence that was drawn. */
  last: bigint;
  /** A transaction id taken after that; null: the sequence had not moved since the newest mark. */
  own: bigint | null;
  /** The oldest transaction that was open after that. */
  oldest: bigint;
  /** When the server was started: another one has transaction ids of its own. */
  started: string;
}

interface Mark {
  last: bigint;
  own: bigint;
}

/** The most marks that wait for a long transaction. Halving them makes the horizon coarser and never wrong. */
const MOST = 64;

/** What looks have proved: the sequences up to a mark are final once every transaction older than the mark is over. */
export class HorizonMarks {
  private waiting: Mark[] = [];
  private server = '';
  private proved = 0n;
  private seen = 0n;

  /** The highest sequence that is final. */
  get horizon(): bigint {
    return this.proved;
  }

  /** The last sequence that was drawn. */
  get last(): bigint {
    return this.seen;
  }

  /** The highest sequence that has a mark: a look that finds it again needs no other one. */
  get newest(): bigint {
    return this.waiting.at(-1)?.last ?? this.proved;
  }

  /** Takes what a look has seen. */
  take({ last, own, oldest, started }: Look): void {
    // A database that was put back, or another server: what was proved of the former one counts no more.
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
