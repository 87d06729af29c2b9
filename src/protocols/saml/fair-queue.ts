/**
 * A queue in which the keys take turns. The key that has waited longest gives its oldest entry, then goes after the
 * others. A flood of one key fills the line of that key alone.
 */
export class FairQueue<T> {
  /** By key, in the order of their turns; no line is empty. */
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
   * Adds an entry to the line of its key. In a full queue the youngest entry of the longest line gives way, so that
   * many keys cannot keep a single one out.
   *
   * @returns the entry that is refused; null: there was room
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

  /** Removes and returns all entries. */
  empty(): T[] {
    const all = [...this.lines.values()].flat();
    this.lines.clear();
    this.count = 0;
    return all;
  }

  /** Removes the youngest entry of the longest line, unless that line would become shorter than the growing one. */
  private displace(growing: number): T | null {
    let longest: T[] = [];
    for (const line of this.lines.values()) if (line.length > longest.length) longest = line;
    if (longest.length <= growing + 1) return null;
    this.count--;
    return longest.pop() ?? null;
  }
}
