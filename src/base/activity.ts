/** From this many requests a second on, the process has little time for other work. */
const BUSY_PER_SECOND = 150;
const WINDOW_MS = 200;
const BUSY_IN_WINDOW = (BUSY_PER_SECOND * WINDOW_MS) / 1000;
/** Without a request, or work of other processes, for so long a process is quiet. */
const QUIET_MS = 10_000;

/**
 * The rate of requests of this process. Background work slows down when it is high, so that the first sync of an IdP
 * does not wait for it. It also looks less often while nothing happens at all: an idle installation of many processes
 * leaves its database alone.
 */
export class Activity {
  private requests = 0;
  private windowFrom: number;
  private busy = false;
  private stirredAt: number;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {
    this.windowFrom = now();
    this.stirredAt = now();
  }

  /** Counts a request that was worked on; a refused one costs too little to slow down anything. */
  note(): void {
    this.requests++;
  }

  /** Ends the quiet: background work looks at its usual pace again. */
  stir(): void {
    const wasQuiet = this.isQuiet();
    this.stirredAt = this.now();
    if (wasQuiet) for (const listener of this.listeners) listener();
  }

  /** Returns whether nothing has happened for ten seconds. */
  isQuiet(): boolean {
    return this.now() - this.stirredAt > QUIET_MS;
  }

  /** Calls `listener` when the quiet ends. */
  onStir(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Returns whether the rate of requests is so high that background work must slow down. It is known as soon as the
   * requests are there, and holds for up to 400 ms: a first sync begins at full rate.
   */
  isBusy(): boolean {
    const passed = this.now() - this.windowFrom;
    if (passed >= WINDOW_MS) {
      this.busy = (this.requests * 1000) / passed > BUSY_PER_SECOND;
      this.requests = 0;
      this.windowFrom += passed;
    }
    return this.busy || this.requests > BUSY_IN_WINDOW;
  }
}
