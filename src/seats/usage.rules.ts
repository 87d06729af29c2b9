/**
 * From this version on a holder's new role, directory or cost centre is a line of the ledger. Earlier usage cannot be
 * split.
 */
export const HOLDER_FACTS_VERSION = '0.1.0';

export interface UsageRow {
  effective_at: string;
  count_after: number;
  delta: number;
  user_id: string | null;
}

/** Seats over one interval: the maximum, the time-weighted mean, the seats at its end, and the number of holders. */
export interface Usage {
  peak: number | null;
  average: number | null;
  end: number | null;
  /** Null before the ledger existed. */
  distinct_holders: number | null;
}

/**
 * The holders of seats: users whose lines add up to more than 0. The sum does not depend on the order of a user's
 * lines, which earlier versions did not always keep.
 */
export class Holders {
  /** Users with the sum 1: nearly all. */
  private readonly single = new Set<string>();
  /** The sums that are neither 0 nor 1. */
  private readonly others = new Map<string, number>();

  get size(): number {
    let size = this.single.size;
    for (const net of this.others.values()) if (net > 0) size++;
    return size;
  }

  has(userId: string): boolean {
    return this.single.has(userId) || (this.others.get(userId) ?? 0) > 0;
  }

  add(userId: string, delta: number): void {
    const net = delta + (this.single.has(userId) ? 1 : (this.others.get(userId) ?? 0));
    this.single.delete(userId);
    this.others.delete(userId);
    if (net === 1) this.single.add(userId);
    else if (net !== 0) this.others.set(userId, net);
  }
}

/** Usage of one interval, taken entry by entry. It keeps no entry. */
export class UsageMeter {
  private peak: number | null;
  private seatTime = 0;
  private known = 0;
  private at: number;
  private readonly holdersAtStart: number;
  private readonly joined = new Set<string>();
  private readonly left = new Set<string>();

  /**
   * @param from RFC 3339, the begin of the interval
   * @param count the seats at its start; null when unknown
   * @param holders the holders then; each entry updates them
   */
  constructor(
    from: string,
    private count: number | null,
    private readonly holders: Holders,
  ) {
    this.peak = count;
    this.at = Date.parse(from);
    this.holdersAtStart = holders.size;
  }

  take(row: UsageRow): void {
    this.pass(Date.parse(row.effective_at));
    this.count = row.count_after;
    this.peak = this.peak === null ? this.count : Math.max(this.peak, this.count);
    const { user_id: userId, delta } = row;
    if (userId === null || delta === 0) return;
    const held = this.holders.has(userId);
    this.holders.add(userId, delta);
    if (delta > 0 && !held && !this.left.has(userId)) this.joined.add(userId);
    if (held && !this.holders.has(userId) && !this.joined.has(userId)) this.left.add(userId);
  }

  end(to: string): Usage {
    this.pass(Date.parse(to));
    const average = this.known > 0 ? Math.round((this.seatTime / this.known) * 1000) / 1000 : this.count;
    return {
      peak: this.peak,
      average,
      end: this.count,
      distinct_holders: this.peak === null ? null : this.holdersAtStart + this.joined.size,
    };
  }

  private pass(time: number): void {
    if (this.count !== null) {
      this.seatTime += this.count * (time - this.at);
      this.known += time - this.at;
    }
    this.at = time;
  }
}

/**
 * Returns usage over the half-open interval [from, to).
 *
 * @param before the seats at its start; null when unknown
 * @param holders the holders then; updated to the end of the interval
 */
export function usageOf(
  from: string,
  to: string,
  before: number | null,
  holders: Holders,
  rows: readonly UsageRow[],
): Usage {
  const meter = new UsageMeter(from, before, holders);
  for (const row of rows) meter.take(row);
  return meter.end(to);
}
