/**
 * Where the last page of a list ended, for clients that walk `startIndex` in order (nearly all do). The next page then
 * starts behind that row: it costs what the first page costs, and rows that were deleted meanwhile shift nothing, so
 * that no row is left out. Kept in memory; without a mark a page is found by counting.
 */
export class PageMarks {
  private readonly marks = new Map<string, { ids: string[]; until: number }>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly lifetimeMs = 10 * 60_000,
    private readonly capacity = 5000,
  ) {}

  /** Notes that the page before `startIndex` of this list ended at `id`. */
  put(list: string, startIndex: number, id: string): void {
    const key = `${startIndex} ${list}`;
    const known = this.marks.get(key);
    this.marks.delete(key);
    // Two walks of one list may overlap; each finds its own place again, the earlier one first.
    const ids = known && known.until > this.now() ? [...known.ids.filter((other) => other !== id), id].slice(-4) : [id];
    if (this.marks.size >= this.capacity) this.marks.delete(this.marks.keys().next().value!);
    this.marks.set(key, { ids, until: this.now() + this.lifetimeMs });
  }

  /** The id behind which the page at `startIndex` begins, or undefined. */
  take(list: string, startIndex: number): string | undefined {
    const mark = this.marks.get(`${startIndex} ${list}`);
    if (!mark || mark.until <= this.now()) return undefined;
    return mark.ids.length > 1 ? mark.ids.shift() : mark.ids[0];
  }
}
