import { ByteMap, byteSize } from '../../base/byte-map.js';
import type { Clock } from '../../base/clock.js';

/** Times in milliseconds; `capacity` is the number of keys. */
interface Keeping {
  /** How long a value is used without another request. */
  freshMs: number;
  /** How long the last good value is used while requests fail. */
  keepMs: number;
  /** The minimum time between two requests while there is a value, after `retriesMs`. */
  pauseMs: number;
  /** The pauses after the first failures in a row, each shorter than `pauseMs`. */
  retriesMs: readonly number[];
  capacity: number;
}

/**
 * The pauses after failures of an IdP: a single error 500 must not refuse sign-ins with a new key for a minute. That
 * makes four requests in half a minute, then one a minute.
 */
export const IDP_RETRIES_MS = [2_000, 5_000, 15_000] as const;

/** The maximum of all values in a store, in bytes; IdPs decide the size of theirs, up to 256 KiB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The weight of an entry without a value. */
const EMPTY_BYTES = 512;
const MAX_ASKERS = 1000;

/** The failures in a row, and when the next request may go out. */
interface Pause {
  failureCount: number;
  until: number;
}

interface Entry<V> {
  good: { value: V; at: number } | null;
  failed: Pause;
  /** By source; there are few. */
  askedAgain: Map<string, Pause>;
  loading: Promise<V> | null;
}

const NO_PAUSE: Pause = { failureCount: 0, until: -Infinity };

/**
 * Values of remote servers, kept so that their outages do not stop this service. An old value is requested again, and
 * used further while requests fail. Concurrent callers share one request.
 */
export class LastGood<V> {
  private readonly entries: ByteMap<Entry<V>>;

  constructor(
    private readonly clock: Clock,
    private readonly keeping: Keeping,
    /** Whether an error drops the value instead of leaving it in use. */
    private readonly takesBack: (error: unknown) => boolean = () => false,
  ) {
    this.entries = new ByteMap({ entries: keeping.capacity, bytes: MAX_BYTES });
  }

  /**
   * Returns the value of a key.
   *
   * @throws what `load` throws, when there is no value within `keepMs`
   */
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
   * Requests the value again although it may be fresh, because a caller doubts it. At most once in `pauseMs` per
   * source, and after `retriesMs` when the request failed or did not help; before that it returns the known value.
   *
   * @param source the source of the doubt
   * @param helps whether a value resolves the doubt
   * @throws what `load` throws
   */
  async again(key: string, source: string, load: () => Promise<V>, helps: (value: V) => boolean): Promise<V> {
    const entry = this.entry(key);
    const now = this.clock.monotonic();
    const asked = entry.askedAgain.get(source) ?? { failureCount: 0, until: -Infinity };
    if (entry.loading === null && entry.good !== null && now < asked.until) return entry.good.value;
    if (entry.askedAgain.size >= MAX_ASKERS) entry.askedAgain.clear();
    // Concurrent callers share this request; later ones wait for the pause.
    entry.askedAgain.set(source, { ...asked, until: now + this.keeping.pauseMs });
    let helped = false;
    try {
      const value = await this.load(key, entry, load);
      helped = helps(value);
      return value;
    } finally {
      const ended = this.clock.monotonic();
      entry.askedAgain.set(source, helped ? this.pauseAfter(ended) : this.pauseAfter(ended, asked));
    }
  }

  /** Returns the pause after a success, or after one more failure than `before`. */
  private pauseAfter(now: number, before?: Pause): Pause {
    const { pauseMs, retriesMs } = this.keeping;
    if (before === undefined) return { failureCount: 0, until: now + pauseMs };
    // After a whole pause without a request the short pauses begin again.
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
