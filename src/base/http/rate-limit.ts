import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { Clock } from '../clock.js';
import { Config } from '../config/config.js';
import { networkOf } from './allowed-networks.js';
import { TooManyRequests } from './http.errors.js';

interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the allowance is full again; for a refused request, until one more is allowed. */
  resetSeconds: number;
}

/** A tenant's allowance, as a multiple of that of one credential, unless it is set. */
const TENANT_FACTOR = 4;

/** A body within this size costs no more than any request. */
const REQUEST_BYTES = 64 * 1024;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Token buckets by name, in memory. Above the capacity the least recently used one is removed and starts full again: a flood of
 * names reduces no other allowance.
 */
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
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      resetSeconds: Math.ceil(missing / this.perSecond),
    };
  }

  /** Takes the further cost of an allowed request, down to minus a burst: then requests are refused until a refill. */
  charge(name: string, count: number): void {
    const bucket = this.fill(name);
    bucket.tokens = Math.max(-this.burst, bucket.tokens - count);
  }

  isEmpty(name: string): boolean {
    return this.buckets.has(name) && this.fill(name).tokens < 1;
  }

  private fill(name: string): Bucket {
    const now = this.clock.monotonic();
    let bucket = this.buckets.get(name);
    if (bucket === undefined) {
      if (this.buckets.size >= this.capacity) this.buckets.delete(this.buckets.keys().next().value!);
      bucket = { tokens: this.burst, at: now };
      this.buckets.set(name, bucket);
      return bucket;
    }
    // Used buckets move to the end. While there is room for all, the order does not matter.
    if (this.buckets.size > this.capacity / 2) {
      this.buckets.delete(name);
      this.buckets.set(name, bucket);
    }
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    return bucket;
  }
}

/**
 * Limits requests of a credential and of a tenant in this process, with bursts of ten times the rate. Without the tenant's
 * limit a tenant could multiply its rate by creating credentials.
 */
@Injectable()
export class RateLimiter {
  /** False with `RATE_LIMIT=off`: no limits and no headers. */
  readonly enabled: boolean;
  private readonly credentials: Buckets;
  private readonly tenants: Buckets;

  constructor(config: Config, clock: Clock) {
    const perSecond = config.rateLimit ?? 1;
    const ofTenant = config.tenantRateLimit ?? perSecond * TENANT_FACTOR;
    this.enabled = config.rateLimit !== null;
    this.credentials = new Buckets(perSecond, perSecond * 10, clock);
    this.tenants = new Buckets(ofTenant, ofTenant * 10, clock);
  }

  take(credentialId: string): Allowance {
    return this.credentials.take(credentialId);
  }

  /** Counts the bytes of a request of a credential that was taken: each {@link REQUEST_BYTES} of them are a request more. */
  chargeBytes(credentialId: string, bytes: number): void {
    if (this.enabled && bytes >= REQUEST_BYTES)
      this.credentials.charge(credentialId, Math.floor(bytes / REQUEST_BYTES));
  }

  takeOfTenant(tenantId: string): Allowance {
    return this.tenants.take(tenantId);
  }
}

/**
 * Limits wrong credentials by address and by the tenant that they name: a burst of 300, then five a second, then 429. Only
 * wrong credentials are counted and refused: other callers share the address.
 */
@Injectable()
export class FailedTries {
  private readonly buckets: Buckets;
  constructor(clock: Clock) {
    this.buckets = new Buckets(5, 300, clock);
  }

  /**
   * Counts a wrong credential of an address, if that is known. `tenantId` is '' where it names none.
   *
   * @throws {TooManyRequests} when the allowance is used up
   */
  count(address: string | undefined, tenantId: string): void {
    if (address === undefined || this.take(address, tenantId)) return;
    throw new TooManyRequests('Too many wrong credentials of this kind came from this address.', 10);
  }

  /** Counts a wrong credential. Returns false when the allowance is used up. */
  take(address: string, tenantId: string): boolean {
    return this.buckets.take(`${networkOf(address)} ${tenantId}`).allowed;
  }
}

/**
 * Takes one request from the allowances of a credential and of its tenant. The headers show the smaller one.
 *
 * @param tenantId null for the operator, who belongs to no tenant
 * @throws {TooManyRequests} when one of the two is used up
 */
export function limitRate(
  limiter: RateLimiter,
  res: ServerResponse,
  credentialId: string,
  tenantId: string | null,
): void {
  if (!limiter.enabled) return;
  const own = limiter.take(credentialId);
  const shared = tenantId === null || !own.allowed ? own : limiter.takeOfTenant(tenantId);
  const tighter = !shared.allowed || shared.remaining < own.remaining ? shared : own;
  showAllowance(res, tighter, tighter === own ? 'This credential makes' : OF_TENANT);
}

export const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const OF_TENANT = 'The credentials of this tenant make together';

/**
 * Writes an allowance into the headers of an answer.
 *
 * @param subject who makes the requests, with its verb: the begin of the sentence that refuses one
 * @throws {TooManyRequests} when it is used up
 */
export function showAllowance(
  res: ServerResponse,
  { allowed, limit, remaining, resetSeconds }: Allowance,
  subject = OF_TENANT,
): void {
  res.setHeader('RateLimit-Limit', limit);
  res.setHeader('RateLimit-Remaining', remaining);
  res.setHeader('RateLimit-Reset', resetSeconds);
  if (!allowed) throw new TooManyRequests(`${subject} too many requests.`, resetSeconds);
}

/**
 * The allowance of the callers of one network at addresses without a credential. A page of the documents takes about ten
 * requests. A sign-in takes about five, and a whole company may come from one network.
 */
const MOST = {
  documents: { perSecond: 20, burst: 300 },
  searches: { perSecond: 2, burst: 30 },
  others: { perSecond: 100, burst: 1_000 },
};
const DOCUMENTS = /^\/docs(?:\/|$)/;
/** A search of the documents reads all of them. */
const SEARCH = /^\/docs\/search\/?$/;

/**
 * Returns a middleware that takes each request to an open address from the allowance of its network.
 *
 * @param isOpen whether requests to a path come without a credential that has an allowance of its own
 */
export function limitStrangers(clock: Clock, isOpen: (path: string) => boolean): RequestHandler {
  const documents = new Buckets(MOST.documents.perSecond, MOST.documents.burst, clock);
  const searches = new Buckets(MOST.searches.perSecond, MOST.searches.burst, clock);
  const others = new Buckets(MOST.others.perSecond, MOST.others.burst, clock);
  return (req, _res, next) => {
    if (!isOpen(req.path)) return next();
    const buckets = SEARCH.test(req.path) ? searches : DOCUMENTS.test(req.path) ? documents : others;
    const { allowed, resetSeconds } = buckets.take(networkOf(req.ip ?? ''));
    next(allowed ? undefined : new TooManyRequests('This address makes too many requests.', resetSeconds));
  };
}
