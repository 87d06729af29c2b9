/** From this many requests a second on, the process has little time for other work. */
const BUSY_PER_SECOND = 150;
const WINDOW_MS = 200;

/**
 * The rate of requests of this process. Background work slows down when it is high, so that the first sync of an IdP
 * does not wait for it.
 */
export class Activity {
  private requests = 0;
  private windowFrom: number;
  private busy = false;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.windowFrom = now();
  }

  /** Counts a request. */
  note(): void {
    this.requests++;
  }

  /**
   * Returns whether the rate of requests is so high that background work must slow down. The value is at most 200 ms
   * old.
   */
  isBusy(): boolean {
    const passed = this.now() - this.windowFrom;
    if (passed >= WINDOW_MS) {
      this.busy = (this.requests * 1000) / passed > BUSY_PER_SECOND;
      this.requests = 0;
      this.windowFrom += passed;
    }
    return this.busy;
  }
}
