/** From this many requests a second on, the process has little time for other work. */
const BUSY_PER_SECOND = 150;
const WINDOW_MS = 200;
const BUSY_IN_WINDOW = (BUSY_PER_SECOND * WINDOW_MS) / 1000;
/** Without a request, or work of other processes, for this time a process is quiet. */
const QUIET_MS = 10_000;

/**
 * The rate of requests of this process. Background work slows down at a high rate, so that the first sync of an IdP does not
 * wait for it. In quiet times it also looks less often: an idle installation of many processes leaves its database alone.
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

  /** Ends the quiet: background work returns to its usual pace. */
  stir(): void {
    const wasQuiet = this.isQuiet();
    this.stirredAt = this.now();
    if (wasQuiet) for (const listener of this.listeners) listener();
  }

  isQuiet(): boolean {
    return this.now() - this.stirredAt > QUIET_MS;
  }

  onStir(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Whether the rate of requests is so high that background work must slow down. The rate is known at once, and holds for up to
   * 400 ms: a first sync begins at full rate.
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
