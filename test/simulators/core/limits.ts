import type { SimAnswer } from './http.js';

/** A vendor's limit: requests of a window, or a bucket that fills steadily. */
export type LimitRule =
  { kind: 'bucket'; perSecond: number; burst: number } | { kind: 'window'; requests: number; seconds: number };

/** Counts requests, and says what the vendor's headers say. */
export class Limit {
  private tokens: number;
  private at: number;
  private used = 0;

  /** @param factor multiple of the vendor's limit */
  constructor(
    private readonly rule: LimitRule,
    private readonly factor: number,
    private readonly now: () => number,
  ) {
    this.tokens = rule.kind === 'bucket' ? rule.burst * factor : 0;
    this.at = now();
  }

  /** Counts one request. */
  take(): { admitted: boolean; limit: number; remaining: number; resetAt: number } {
    const now = this.now();
    if (this.rule.kind === 'bucket') {
      const most = this.rule.burst * this.factor;
      this.tokens = Math.min(most, this.tokens + ((now - this.at) / 1_000) * this.rule.perSecond * this.factor);
      this.at = now;
      const admitted = this.tokens >= 1;
      if (admitted) this.tokens--;
      return { admitted, limit: most, remaining: Math.floor(this.tokens), resetAt: now + 1_000 };
    }
    const length = this.rule.seconds * 1_000;
    if (now - this.at >= length) {
      this.at = now;
      this.used = 0;
    }
    const limit = this.rule.requests * this.factor;
    const admitted = this.used < limit;
    if (admitted) this.used++;
    return { admitted, limit, remaining: limit - this.used, resetAt: this.at + length };
  }
}

/** Adds headers to an answer. */
export function withHeaders(answer: SimAnswer, headers: Readonly<Record<string, string>>): SimAnswer {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
