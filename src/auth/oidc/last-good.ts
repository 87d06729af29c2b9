import { ByteMap } from '../../base/byte-map.js';
import { byteSize } from '../../base/byte-size.js';
import type { Clock } from '../../base/clock.js';

/** All in milliseconds, but for `capacity`: the number of keys. */
export interface Keeping {
  /** So long a value is used without asking again. */
  freshMs: number;
  /** So long the last good one is used when asking again fails. */
  keepMs: number;
  /** The least time between two tries while there is a value: after one that failed, and between calls of `again`. */
  pauseMs: number;
  capacity: number;
}

/** All values of one store, in bytes: IdPs decide how large theirs are, up to 256 KiB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** An entry without a value. */
const EMPTY_BYTES = 512;
const MAX_ASKERS = 1000;

interface Entry<V> {
  good: { value: V; at: number } | null;
  failedAt: number;
  /** By who has asked; those are few. */
  askedAgainAt: Map<string, number>;
  loading: Promise<V> | null;
}

/**
 * What somebody else's server says, kept so that its outage is not ours: asked for again when it is old, and used for a
 * good while longer when there is no answer. Callers that come while it is being asked for share the one asking.
 */
export class LastGood<V> {
  private readonly entries: ByteMap<Entry<V>>;

  constructor(
    private readonly clock: Clock,
    private readonly keeping: Keeping,
    /** Whether a failure takes back what was known before, instead of leaving it in use. */
    private readonly takesBack: (error: unknown) => boolean = () => false,
  ) {
    this.entries = new ByteMap({ entries: keeping.capacity, bytes: MAX_BYTES });
  }

  /** The value of a key. Throws what `load` throws where there is no good value, or it is too old. */
  async get(key: string, load: () => Promise<V>): Promise<V> {
    const entry = this.entry(key);
    const { freshMs, keepMs, pauseMs } = this.keeping;
    const { good } = entry;
    const now = this.clock.monotonic();
    const usable = good !== null && now - good.at < keepMs;
    if (usable && (now - good.at < freshMs || now - entry.failedAt < pauseMs)) return good.value;
    try {
      return await this.load(key, entry, load);
    } catch (error) {
      if (usable && !this.takesBack(error)) return good.value;
      throw error;
    }
  }

  /**
   * The value, asked for anew although it may be fresh: `who` has a reason to doubt it. At most once in `pauseMs` for
   * each of them; sooner than that it is what is known already. Throws what `load` throws.
   */
  async again(key: string, who: string, load: () => Promise<V>): Promise<V> {
    const entry = this.entry(key);
    const now = this.clock.monotonic();
    const askedAt = entry.askedAgainAt.get(who) ?? -Infinity;
    if (entry.loading === null && entry.good !== null && now - askedAt < this.keeping.pauseMs) return entry.good.value;
    if (entry.askedAgainAt.size >= MAX_ASKERS) entry.askedAgainAt.clear();
    entry.askedAgainAt.set(who, now);
    return this.load(key, entry, load);
  }

  private load(key: string, entry: Entry<V>, load: () => Promise<V>): Promise<V> {
    entry.loading ??= load().then(
      (value) => {
        entry.good = { value, at: this.clock.monotonic() };
        entry.failedAt = -Infinity;
        entry.loading = null;
        if (this.entries.get(key) === entry) this.entries.set(key, entry, EMPTY_BYTES + byteSize(value));
        return value;
      },
      (error: unknown) => {
        entry.failedAt = this.clock.monotonic();
        if (this.takesBack(error)) entry.good = null;
        entry.loading = null;
        throw error;
      },
    );
    return entry.loading;
  }

  private entry(key: string): Entry<V> {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry<V> = { good: null, failedAt: -Infinity, askedAgainAt: new Map(), loading: null };
    this.entries.set(key, entry, EMPTY_BYTES);
    return entry;
  }
}
