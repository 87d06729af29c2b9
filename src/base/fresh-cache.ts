import { ByteMap, byteSize } from './byte-map.js';
import type { Clock } from './clock.js';

interface Kept<V> {
  at: number;
  value: Promise<V>;
}

interface CacheOptions {
  capacity?: number;
  maxBytes?: number;
  proof?: Proof | null;
}

/** The assumed size of a value that is still being read. */
const UNKNOWN_BYTES = 256;
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Proof that no change of a cached value was missed. `SettingsFeed` is one. */
interface Proof {
  readonly isOn: boolean;
  readonly isListening: boolean;
  isCurrent(): boolean;
  prove(): Promise<void>;
}

/** A value is read again at this age without a notification: an operator may have switched off the triggers. */
const MOST_AGE_MS = 300_000;

/**
 * A cache of values that may be a moment old. Each is read again after `ttl` milliseconds, so that a change by any process is
 * visible within that time. With a proof it holds for longer, until `drop` is called for the change; without a current proof
 * nothing is cached. Callers that arrive during a read share it. The cache is bounded by entries and by bytes, since tenants
 * decide the size of their values.
 */
export class FreshCache<V> {
  private readonly kept: ByteMap<Kept<V>>;
  private readonly proof: Proof | null;
  private readonly loading = new Set<string>();
  private dropped = 0;

  constructor(
    private readonly clock: Clock,
    private readonly ttl: number,
    { capacity = MAX_ENTRIES, maxBytes = MAX_BYTES, proof = null }: CacheOptions = {},
  ) {
    this.proof = proof;
    this.kept = new ByteMap({ entries: capacity, bytes: maxBytes });
  }

  get(key: string, load: () => Promise<V>): Promise<V> {
    const kept = this.kept.get(key);
    const proof = this.proof?.isOn === true ? this.proof : null;
    if (proof !== null && !proof.isListening) return load();
    if (kept !== undefined) {
      const age = this.clock.monotonic() - kept.at;
      if (age < this.ttl) return kept.value;
      if (proof !== null && age < MOST_AGE_MS) {
        return proof.isCurrent() ? kept.value : this.proved(proof, key, kept, load);
      }
    }
    return this.read(key, load);
  }

  /** The value, if a proof confirms it; else it is read, once for all waiting callers. */
  private async proved(proof: Proof, key: string, kept: Kept<V>, load: () => Promise<V>): Promise<V> {
    await proof.prove();
    if (this.kept.get(key) !== kept) return this.get(key, load);
    return proof.isListening && proof.isCurrent() ? kept.value : this.read(key, load);
  }

  private read(key: string, load: () => Promise<V>): Promise<V> {
    const at = this.clock.monotonic();
    const value = load();
    const entry = { at, value };
    this.kept.set(key, entry, UNKNOWN_BYTES);
    this.loading.add(key);
    value
      .then(
        (read) => {
          if (this.kept.get(key) === entry) this.kept.set(key, entry, UNKNOWN_BYTES + byteSize(read));
        },
        // A failed read is not stored: the next caller reads again.
        () => {
          if (this.kept.get(key) === entry) this.kept.delete(key);
        },
      )
      .finally(() => this.loading.delete(key));
    return value;
  }

  get bytes(): number {
    return this.kept.bytes;
  }

  /** Whether this key was read before, even if the value is stale. */
  knows(key: string): boolean {
    return this.kept.has(key);
  }

  /** Moves with each removal: a value that was read before may be outdated. */
  get drops(): number {
    return this.dropped;
  }

  drop(key?: string): void {
    this.dropped++;
    if (key === undefined) this.kept.clear();
    else this.kept.delete(key);
  }

  dropAll(start: string): void {
    this.dropped++;
    for (const key of this.kept.keys()) if (key.startsWith(start)) this.kept.delete(key);
  }

  /** Removes the values that are still being read: a change whose key is not known can be about them. */
  dropLoading(): void {
    this.dropped++;
    for (const key of this.loading) this.kept.delete(key);
  }
}
