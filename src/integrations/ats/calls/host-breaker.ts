/** After this number of calls in a row without an answer a server is not called for a time. */
const FAILURES = 3;
const PAUSE_MS = { first: 1_000, most: 60_000 };
const MOST_SERVERS = 1_000;

interface Server {
  failures: number;
  /** When it may be called again. */
  until: number;
  /** The call that finds out whether it answers again is out. */
  probing: boolean;
}

/**
 * Remembers which servers do not answer. While one is away, one call at growing intervals asks again, and all others end
 * at once: they would wait for their deadline and hold a place that other servers need.
 */
export class HostBreaker {
  private readonly servers = new Map<string, Server>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Asks whether a server may be called. Each call that is admitted has to be noted by {@link answered}, {@link silent} or
   * {@link notReached}.
   *
   * @returns null: yes; else the time in milliseconds after which it is asked again
   */
  refusal(origin: string): number | null {
    const server = this.servers.get(origin);
    if (server === undefined || server.failures < FAILURES) return null;
    const wait = server.until - this.now();
    if (wait > 0 || server.probing) return Math.max(wait, PAUSE_MS.first);
    server.probing = true;
    return null;
  }

  answered(origin: string): void {
    this.servers.delete(origin);
  }

  /** Notes a call that never came to the server: its name was not found, or its address is refused. It proves nothing. */
  notReached(origin: string): void {
    const server = this.servers.get(origin);
    if (server !== undefined) server.probing = false;
  }

  silent(origin: string): void {
    const server = this.servers.get(origin);
    // A call that was out when the others failed: the interval grows with calls that asked again, not with how many were out.
    if (server !== undefined && server.failures >= FAILURES && !server.probing) return;
    if (this.servers.size >= MOST_SERVERS && server === undefined) this.servers.clear();
    const failures = (server?.failures ?? 0) + 1;
    const pause = Math.min(PAUSE_MS.first * 2 ** Math.max(0, failures - FAILURES), PAUSE_MS.most);
    this.servers.set(origin, { failures, until: this.now() + pause, probing: false });
  }
}
