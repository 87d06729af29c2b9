import { ByteMap } from './byte-map.js';
import { byteSize } from './byte-size.js';
import type { Clock } from './clock.js';

interface Kept<V> {
  at: number;
  value: Promise<V>;
}

/** What is weighed for a value that is still being read. */
const UNKNOWN_BYTES = 256;
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Values that may be a moment old. Each is read again after `ttl` milliseconds, so that a change made by any process
 * shows everywhere within that time; callers that come while a value is being read share the one reading. The cache is
 * bounded by entries and by bytes, since tenants decide how large their values are.
 */
export class FreshCache<V> {
  private readonly kept: ByteMap<Kept<V>>;

  constructor(
    private readonly clock: Clock,
    private readonly ttl: number,
    capacity = MAX_ENTRIES,
    maxBytes = MAX_BYTES,
  ) {
    this.kept = new ByteMap({ entries: capacity, bytes: maxBytes });
  }

  get(key: string, load: () => Promise<V>): Promise<V> {
    const now = this.clock.monotonic();
    const kept = this.kept.get(key);
    if (kept !== undefined && now - kept.at < this.ttl) return kept.value;
    const value = load();
    const entry = { at: now, value };
    this.kept.set(key, entry, UNKNOWN_BYTES);
    value.then(
      (read) => {
        if (this.kept.get(key) === entry) this.kept.set(key, entry, UNKNOWN_BYTES + byteSize(read));
      },
      // A reading that failed is nobody's value: the next caller tries again.
      () => {
        if (this.kept.get(key) === entry) this.kept.delete(key);
      },
    );
    return value;
  }

  /** The bytes of all values that are kept, as estimated. */
  get bytes(): number {
    return this.kept.bytes;
  }

  /** Whether something was read under this key before, be it stale by now. */
  knows(key: string): boolean {
    return this.kept.has(key);
  }

  /** Forgets a value, or all of them. */
  drop(key?: string): void {
    if (key === undefined) this.kept.clear();
    else this.kept.delete(key);
  }
}
