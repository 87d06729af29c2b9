/** How much a `ByteMap` may hold. */
export interface ByteLimits {
  readonly entries: number;
  readonly bytes: number;
}

interface Weighed<V> {
  value: V;
  bytes: number;
}

/** A map of bounded size, in entries and in bytes: the oldest entries make room for new ones. */
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

  /** Puts an entry behind all others. One that is larger than the whole map is not kept. */
  set(key: string, value: V, size: number): void {
    this.delete(key);
    const bytes = size + 2 * key.length;
    if (bytes > this.limits.bytes) return;
    this.entries.set(key, { value, bytes });
    this.held += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.limits.entries && this.held <= this.limits.bytes) break;
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
