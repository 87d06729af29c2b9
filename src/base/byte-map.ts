interface ByteLimits {
  readonly entries: number;
  readonly bytes: number;
}

interface Weighed<V> {
  value: V;
  bytes: number;
}

/**
 * A map with bounded entries and bytes: new entries displace the oldest ones. One in 32 is removed beyond need, so that the
 * next entries find room: a `Map` keeps the places of deleted entries for a while, and each search for the oldest one passes
 * over them.
 */
export class ByteMap<V> {
  private readonly entries = new Map<string, Weighed<V>>();
  private held = 0;

  constructor(private readonly limits: ByteLimits) {}

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

/** The cost of an entry of a map, object or array beside its content, in bytes; measured on V8, rounded up. */
const OVERHEAD = 48;
/** Nothing below this depth is counted: values in caches are not nested as deep. */
const MAX_DEPTH = 12;

/**
 * Estimates the memory of a value in bytes, so that caches are bounded by bytes and not by rows. Each character counts two
 * bytes: one character outside of Latin-1 makes V8 use two for the whole text.
 */
export function byteSize(value: unknown, depth = 0): number {
  if (typeof value === 'string') return OVERHEAD + 2 * value.length;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return 16;
  if (ArrayBuffer.isView(value)) return OVERHEAD + value.byteLength;
  let bytes = OVERHEAD;
  if (value instanceof Map) {
    for (const [key, one] of value) bytes += OVERHEAD + byteSize(key, depth + 1) + byteSize(one, depth + 1);
  } else if (value instanceof Set || Array.isArray(value)) {
    for (const one of value) bytes += 8 + byteSize(one, depth + 1);
  } else {
    // Objects of one shape share the names of their properties. Names that callers choose are not shared.
    for (const [key, one] of Object.entries(value)) bytes += 2 * key.length + 8 + byteSize(one, depth + 1);
  }
  return bytes;
}
