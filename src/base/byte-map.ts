/** The bounds of a `ByteMap`. */
export interface ByteLimits {
  readonly entries: number;
  readonly bytes: number;
}

interface Weighed<V> {
  value: V;
  bytes: number;
}

/**
 * A map with bounded entries and bytes: new entries displace the oldest ones. One in 32 goes beyond need, so that the next
 * entries find room: a `Map` keeps the places of deleted entries for a while, and each search for the oldest one passes
 * over them.
 */
export class ByteMap<V> {
  private readonly entries = new Map<string, Weighed<V>>();
  private held = 0;

  constructor(private readonly limits: ByteLimits) {}

  /** The bytes of all entries, keys included. */
  get bytes(): number {
    return this.held;
  }

  get(key: string): V | undefined {
    return this.entries.get(key)?.value;
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  keys(): IterableIterator<string> {
    return this.entries.keys();
  }

  /** Adds an entry as the newest. An entry larger than the whole map is not stored. */
  set(key: string, value: V, size: number): void {
    this.delete(key);
    const bytes = size + 2 * key.length;
    if (bytes > this.limits.bytes) return;
    this.entries.set(key, { value, bytes });
    this.held += bytes;
    if (this.isOver()) this.makeRoom();
  }

  private isOver(): boolean {
    return this.entries.size > this.limits.entries || this.held > this.limits.bytes;
  }

  private makeRoom(): void {
    let beyond = this.entries.size >> 5;
    for (const oldest of this.entries.keys()) {
      if (!this.isOver() && (beyond-- === 0 || this.entries.size === 1)) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.held -= entry.bytes;
  }

  clear(): void {
    this.entries.clear();
    this.held = 0;
  }
}
