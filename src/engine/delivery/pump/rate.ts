/** A limit of calls a second: a token bucket that holds a tenth of a second's worth. */
export class Rate {
  private tokens: number;
  private at: number;

  constructor(
    private readonly perSecond: number,
    now: number,
  ) {
    this.tokens = Math.max(1, perSecond / 10);
    this.at = now;
  }

  /** Takes one call. Returns 0, or how many milliseconds to wait before the next try. */
  take(now: number): number {
    this.tokens = Math.min(Math.max(1, this.perSecond / 10), this.tokens + ((now - this.at) * this.perSecond) / 1000);
    this.at = now;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.tokens) * 1000) / this.perSecond);
  }
}
