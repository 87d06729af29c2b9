import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from '../config/config.js';
import { networkOf } from './address.js';
import { TooManyRequests } from './http.errors.js';

/** How much of its allowance a credential has left. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the allowance is whole again; of a refused request, until one more is allowed. */
  resetSeconds: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Token buckets by name, in memory, of which only the latest so many are remembered. */
export class Buckets {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly clock: Clock,
    private readonly capacity = 10_000,
  ) {}

  take(name: string, count = 1): Allowance {
    const bucket = this.fill(name);
    const allowed = bucket.tokens >= count;
    if (allowed) bucket.tokens -= count;
    const missing = allowed ? this.burst - bucket.tokens : count - bucket.tokens;
    return {
      allowed,
      limit: this.burst,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil(missing / this.perSecond),
    };
  }

  /** Whether a `take` would be refused, without taking. */
  isEmpty(name: string): boolean {
    return this.buckets.has(name) && this.fill(name).tokens < 1;
  }

  private fill(name: string): Bucket {
    const now = this.clock.monotonic();
    let bucket = this.buckets.get(name);
    if (bucket === undefined) {
      // The oldest goes: whoever was forgotten only starts with a full allowance again.
      if (this.buckets.size >= this.capacity) this.buckets.delete(this.buckets.keys().next().value!);
      bucket = { tokens: this.burst, at: now };
      this.buckets.set(name, bucket);
      return bucket;
    }
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    return bucket;
  }
}

/** Requests of a credential in this process: so many a second, ten times that in a burst. */
@Injectable()
export class RateLimiter {
  /** False with `RATE_LIMIT=off`: then there is nothing to ask and nothing to say in headers. */
  readonly enabled: boolean;
  private readonly buckets: Buckets;

  constructor(config: Config, clock: Clock) {
    const perSecond = config.rateLimit ?? 1;
    this.enabled = config.rateLimit !== null;
    this.buckets = new Buckets(perSecond, perSecond * 10, clock);
  }

  take(credentialId: string): Allowance {
    return this.buckets.take(credentialId);
  }
}

/** Wrong credentials by address: 300 at once, then five a second. Guessing is hopeless; looking up costs us. */
@Injectable()
export class FailedTries {
  private readonly buckets: Buckets;
  constructor(clock: Clock) {
    this.buckets = new Buckets(5, 300, clock);
  }

  /** True when this address has used up its tries. */
  isBlocked(address: string): boolean {
    return this.buckets.isEmpty(networkOf(address));
  }

  note(address: string): void {
    this.buckets.take(networkOf(address));
  }
}

/** Takes one request from a credential's allowance and says so in the headers; 429 when there is none left. */
export function limitRate(limiter: RateLimiter, res: ServerResponse, credentialId: string): void {
  if (!limiter.enabled) return;
  const { allowed, limit, remaining, resetSeconds } = limiter.take(credentialId);
  res.setHeader('RateLimit-Limit', limit);
  res.setHeader('RateLimit-Remaining', remaining);
  res.setHeader('RateLimit-Reset', resetSeconds);
  if (!allowed) throw new TooManyRequests('This credential makes too many requests.', resetSeconds);
}
