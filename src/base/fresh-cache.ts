import { ByteMap } from './byte-map.js';
import { byteSize } from './byte-size.js';
import type { Clock } from './clock.js';

interface Kept<V> {
  at: number;
  value: Promise<V>;
}

/** The assumed size of a value that is still being read. */
const UNKNOWN_BYTES = 256;
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * A cache of values that may be a moment old. Each is read again after `ttl` milliseconds, so that a change by any
 * process is visible within that time. Callers that come during a read share it. The cache is bounded by entries and by
 * bytes, since tenants decide the size of their values.
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
      // A failed read is not stored: the next caller reads again.
      () => {
        if (this.kept.get(key) === entry) this.kept.delete(key);
      },
    );
    return value;
  }

  /** The estimated bytes of all values. */
  get bytes(): number {
    return this.kept.bytes;
  }

  /** Returns whether this key was read before, even if the value is stale. */
  knows(key: string): boolean {
    return this.kept.has(key);
  }

  /** Removes a value, or all of them. */
  drop(key?: string): void {
    if (key === undefined) this.kept.clear();
    else this.kept.delete(key);
  }
}
