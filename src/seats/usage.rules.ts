/**
 * The version from which on a holder's new role, directory or cost centre is a line of the ledger. A split of usage before
 * that time is not known.
 */
export const HOLDER_FACTS_VERSION = '0.1.0';

/** One entry of the ledger, as far as usage is about it. */
export interface UsageRow {
  effective_at: string;
  count_after: number;
  delta: number;
  user_id: string | null;
}

/** Seats over one interval: the most at once, the time-weighted mean, those at its end, and how many people. */
export interface Usage {
  peak: number | null;
  average: number | null;
  end: number | null;
  /** Null where the ledger did not exist yet. */
  distinct_holders: number | null;
}

/**
 * The users who hold a seat: those whose lines add up to more than 0. The sum does not depend on the order of a user's lines,
 * which earlier versions did not always keep.
 */
export class Holders {
  /** Users with the sum 1: nearly all. */
  private readonly single = new Set<string>();
  /** The sums that are neither 0 nor 1. */
  private readonly others = new Map<string, number>();

  /** The number of holders. */
  get size(): number {
    let size = this.single.size;
    for (const net of this.others.values()) if (net > 0) size++;
    return size;
  }

  /** Returns whether the user holds a seat. */
  has(userId: string): boolean {
    return this.single.has(userId) || (this.others.get(userId) ?? 0) > 0;
  }

  /** Adds a line, or the sum of lines. */
  add(userId: string, delta: number): void {
    const net = delta + (this.single.has(userId) ? 1 : (this.others.get(userId) ?? 0));
    this.single.delete(userId);
    this.others.delete(userId);
    if (net === 1) this.single.add(userId);
    else if (net !== 0) this.others.set(userId, net);
  }
}

/** Usage of one interval, taken entry by entry: however many there are, none is kept. */
export class UsageMeter {
  private peak: number | null;
  private seatTime = 0;
  private known = 0;
  private at: number;
  private readonly holdersAtStart: number;
  /** Who came in the interval, and of those who were there at its start who has left. */
  private readonly joined = new Set<string>();
  private readonly left = new Set<string>();

  /**
   * @param from RFC 3339, where the interval begins
   * @param count the seats at its start; null: unknown
   * @param holders the people who held one then; brought up to date with each entry
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

  /** Takes the next entry of the interval. */
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

  /** What came of it, at the end of the interval. */
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
 * Usage over the half-open interval [from, to). `before` is the count when it began (null: unknown), `holders` the
 * people who held a seat then, and is brought up to date to the end of the interval.
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
