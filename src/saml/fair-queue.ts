/**
 * A queue in which every key has its turn: the one that has waited longest gives its oldest entry, then stands behind
 * the others. Who floods it fills a line of their own.
 */
export class FairQueue<T> {
  /** In the order of their turns; none is empty. */
  private readonly lines = new Map<string, T[]>();
  private count = 0;

  constructor(
    private readonly limit: number,
    private readonly limitPerKey: number,
  ) {}

  get size(): number {
    return this.count;
  }

  /**
   * Puts an entry into the line of its key. Out: the entry that has no place and is refused; null: there was room. With
   * the queue full that is the youngest of the longest line, so that many keys cannot keep a single one out.
   */
  add(key: string, entry: T): T | null {
    const line = this.lines.get(key) ?? [];
    if (line.length >= this.limitPerKey) return entry;
    const full = this.count >= this.limit;
    const refused = full ? this.displace(line.length) : null;
    if (full && refused === null) return entry;
    line.push(entry);
    this.lines.set(key, line);
    this.count++;
    return refused;
  }

  take(): T | undefined {
    for (const [key, line] of this.lines) {
      const entry = line.shift();
      this.lines.delete(key);
      if (line.length > 0) this.lines.set(key, line);
      this.count--;
      return entry;
    }
    return undefined;
  }

  /** Takes everything out. */
  empty(): T[] {
    const all = [...this.lines.values()].flat();
    this.lines.clear();
    this.count = 0;
    return all;
  }

  /** Takes the youngest entry out of the longest line, where that line would stay no shorter than the one that grows. */
  private displace(growing: number): T | null {
    let longest: T[] = [];
    for (const line of this.lines.values()) if (line.length > longest.length) longest = line;
    if (longest.length <= growing + 1) return null;
    this.count--;
    return longest.pop() ?? null;
  }
}
