/**
 * Where the last page of a list ended, for clients that walk `startIndex` in order (nearly all do). The next page then
 * starts behind that row: it costs what the first page costs, and rows that were deleted meanwhile shift nothing, so
 * that no row is left out. Kept in memory; without a mark a page is found by counting.
 *
 * A list is one caller's (directory, filter, page size). Its walks cannot be told apart by their requests, so only the
 * latest one has marks: a first page begins it, and what an earlier walk left behind is a place in a list that may
 * look otherwise by now.
 */
export class PageMarks {
  private readonly walks = new Map<string, { ends: Map<number, string>; until: number }>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly lifetimeMs = 10 * 60_000,
    private readonly capacity = 5000,
  ) {}

  /** A first page was asked for: the walk before it, if any, has no marks any more. */
  begin(list: string): void {
    this.walks.delete(list);
  }

  /** Notes that the page before `startIndex` of this list ended at `id`. */
  put(list: string, startIndex: number, id: string): void {
    const walk = this.walks.get(list) ?? { ends: new Map<number, string>(), until: 0 };
    this.walks.delete(list);
    if (this.walks.size >= this.capacity) this.walks.delete(this.walks.keys().next().value!);
    walk.until = this.now() + this.lifetimeMs;
    walk.ends.delete(startIndex);
    walk.ends.set(startIndex, id);
    // A page may be asked for twice (its answer was lost); older ones hardly ever.
    if (walk.ends.size > 4) walk.ends.delete(walk.ends.keys().next().value!);
    this.walks.set(list, walk);
  }

  /** The id behind which the page at `startIndex` begins, or undefined. */
  take(list: string, startIndex: number): string | undefined {
    const walk = this.walks.get(list);
    return walk && walk.until > this.now() ? walk.ends.get(startIndex) : undefined;
  }
}
