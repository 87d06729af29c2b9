import { ByteMap } from '../base/byte-map.js';
import { byteSize } from '../base/byte-size.js';
import type { Clock } from '../base/clock.js';

/** All in milliseconds, but for `capacity`: the number of keys. */
export interface Keeping {
  /** So long a value is used without asking again. */
  freshMs: number;
  /** So long the last good one is used when asking again fails. */
  keepMs: number;
  /** The least time between two requests while there is a value, once `retriesMs` are used up. */
  pauseMs: number;
  /** The pauses after the first failures in a row, each shorter than `pauseMs`: one failure must not last for all of it. */
  retriesMs: readonly number[];
  capacity: number;
}

/**
 * The pauses after failures at an IdP: a single 500 must not lock out for a minute whoever signs in with a new key. With the first
 * request that makes four of them in half a minute, and then one a minute.
 */
export const IDP_RETRIES_MS = [2_000, 5_000, 15_000] as const;

/** All values of one store, in bytes: IdPs decide how large theirs are, up to 256 KiB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** An entry without a value. */
const EMPTY_BYTES = 512;
const MAX_ASKERS = 1000;

/** Failures in a row, and when the next request may go out. */
interface Pause {
  failureCount: number;
  until: number;
}

interface Entry<V> {
  good: { value: V; at: number } | null;
  failed: Pause;
  /** By who has asked; those are few. */
  askedAgain: Map<string, Pause>;
  loading: Promise<V> | null;
}

const NO_PAUSE: Pause = { failureCount: 0, until: -Infinity };

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
    const { freshMs, keepMs } = this.keeping;
    const { good } = entry;
    const now = this.clock.monotonic();
    const usable = good !== null && now - good.at < keepMs;
    if (usable && (now - good.at < freshMs || now < entry.failed.until)) return good.value;
    try {
      return await this.load(key, entry, load);
    } catch (error) {
      if (usable && !this.takesBack(error)) return good.value;
      throw error;
    }
  }

  /**
   * The value, asked for anew although it may be fresh: `who` has a reason to doubt it. Once in `pauseMs` for each of them, and
   * after `retriesMs` where the answer did not come or did not help; sooner than that it is what is known already.
   *
   * @param helps whether a value settles the doubt
   * @throws what `load` throws
   */
  async again(key: string, who: string, load: () => Promise<V>, helps: (value: V) => boolean): Promise<V> {
    const entry = this.entry(key);
    const now = this.clock.monotonic();
    const asked = entry.askedAgain.get(who) ?? { failureCount: 0, until: -Infinity };
    if (entry.loading === null && entry.good !== null && now < asked.until) return entry.good.value;
    if (entry.askedAgain.size >= MAX_ASKERS) entry.askedAgain.clear();
    // Whoever asks while this is under way is told the same; whoever asks afterwards waits for the pause.
    entry.askedAgain.set(who, { ...asked, until: now + this.keeping.pauseMs });
    let helped = false;
    try {
      const value = await this.load(key, entry, load);
      helped = helps(value);
      return value;
    } finally {
      const ended = this.clock.monotonic();
      entry.askedAgain.set(who, helped ? this.pauseAfter(ended) : this.pauseAfter(ended, asked));
    }
  }

  /** The pause after a success, or after one more failure (`before`: what was known of those before it). */
  private pauseAfter(now: number, before?: Pause): Pause {
    const { pauseMs, retriesMs } = this.keeping;
    if (before === undefined) return { failureCount: 0, until: now + pauseMs };
    // After a whole pause without a request the short pauses begin anew.
    const failureCount = now - before.until >= pauseMs ? 0 : before.failureCount;
    return { failureCount: failureCount + 1, until: now + (retriesMs[failureCount] ?? pauseMs) };
  }

  private load(key: string, entry: Entry<V>, load: () => Promise<V>): Promise<V> {
    entry.loading ??= load().then(
      (value) => {
        entry.good = { value, at: this.clock.monotonic() };
        entry.failed = NO_PAUSE;
        entry.loading = null;
        if (this.entries.get(key) === entry) this.entries.set(key, entry, EMPTY_BYTES + byteSize(value));
        return value;
      },
      (error: unknown) => {
        entry.failed = this.pauseAfter(this.clock.monotonic(), entry.failed);
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
    const entry: Entry<V> = { good: null, failed: NO_PAUSE, askedAgain: new Map(), loading: null };
    this.entries.set(key, entry, EMPTY_BYTES);
    return entry;
  }
}
