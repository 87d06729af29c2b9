import type { Clock } from './clock.js';

interface Kept<V> {
  at: number;
  value: Promise<V>;
}

/**
 * Values that may be a moment old. Each is read again after `ttl` milliseconds, so that a change made by any process
 * shows everywhere within that time; callers that come while a value is being read share the one reading.
 */
export class FreshCache<V> {
  private readonly kept = new Map<string, Kept<V>>();

  constructor(
    private readonly clock: Clock,
    private readonly ttl: number,
    private readonly capacity = 10_000,
  ) {}

  get(key: string, load: () => Promise<V>): Promise<V> {
    const now = this.clock.monotonic();
    const kept = this.kept.get(key);
    if (kept !== undefined && now - kept.at < this.ttl) return kept.value;
    const value = load();
    const entry = { at: now, value };
    if (kept === undefined && this.kept.size >= this.capacity) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(key, entry);
    // A reading that failed is nobody's value: the next caller tries again.
    value.catch(() => {
      if (this.kept.get(key) === entry) this.kept.delete(key);
    });
    return value;
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
