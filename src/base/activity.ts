/** What counts as busy: so many requests a second leave little of this process for anything else. */
const BUSY_PER_SECOND = 150;
const WINDOW_MS = 200;

/**
 * How many requests this process answers just now. Background work asks, and makes way: an IdP that is in the middle
 * of a first sync must not wait for what goes on behind it.
 */
export class Activity {
  private requests = 0;
  private windowFrom: number;
  private busy = false;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.windowFrom = now();
  }

  /** A request has come in. Called for every one of them. */
  note(): void {
    this.requests++;
  }

  /** Whether requests come so fast that background work should only trickle. At most 200 ms old. */
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
