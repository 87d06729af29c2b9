import { Clock } from '../../../src/base/clock.js';
import { TooManyRequests } from '../../../src/base/http/http.errors.js';
import { Buckets, limitStrangers } from '../../../src/base/http/rate-limit.js';
import type { Request, Response } from 'express';

describe('rate limit', () => {
  class Hand extends Clock {
    ms = 0;
    now(): Date {
      return new Date(this.ms);
    }
    monotonic(): number {
      return this.ms;
    }
  }

  it('allows each name a burst, then the rate', () => {
    const clock = new Hand();
    const buckets = new Buckets(10, 100, clock);
    for (let i = 0; i < 100; i++) expect(buckets.take('a').allowed).toBe(true);
    expect(buckets.take('a')).toMatchObject({ allowed: false, limit: 100, remaining: 0, resetSeconds: 1 });
    expect(buckets.take('b')).toMatchObject({ allowed: true, remaining: 99 });
    clock.ms += 500;
    expect(Array.from({ length: 7 }, () => buckets.take('a').allowed)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    clock.ms += 3_600_000;
    expect(buckets.take('a')).toMatchObject({ allowed: true, remaining: 99 });
  });

  it('refuses requests until the cost of a large one is refilled, and no longer than a burst takes', () => {
    const clock = new Hand();
    const buckets = new Buckets(10, 100, clock);
    buckets.take('a');
    buckets.charge('a', 104);
    expect(buckets.take('a')).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 1 });
    clock.ms += 600;
    expect(buckets.take('a').allowed).toBe(true);
    buckets.charge('a', 1_000_000);
    clock.ms += 10_000;
    expect(buckets.take('a').allowed).toBe(false);
    clock.ms += 100;
    expect(buckets.take('a').allowed).toBe(true);
    expect(buckets.take('b')).toMatchObject({ allowed: true, remaining: 99 });
  });

  it('remembers no more names than its limit', () => {
    const buckets = new Buckets(1, 1, new Hand(), 10);
    buckets.take('first');
    expect(buckets.take('first').allowed).toBe(false);
    for (let i = 0; i < 10; i++) buckets.take(`n${i}`);
    expect(buckets.take('first').allowed).toBe(true);
  });
});

describe('stranger limit', () => {
  /** A clock that stands still. */
  class Stopped extends Clock {
    override now(): Date {
      return new Date(0);
    }
    override monotonic(): number {
      return 1_000;
    }
  }

  /** Returns how many requests of one address to a path are let through. */
  function allowed(limit: ReturnType<typeof limitStrangers>, path: string, ip: string): number {
    for (let n = 0; n < 2_000; n++) {
      let refused: unknown;
      limit({ path, ip } as Request, {} as Response, (error) => (refused = error));
      if (refused === undefined) continue;
      expect(refused).toBeInstanceOf(TooManyRequests);
      return n;
    }
    return Infinity;
  }

  it('limits searches of the documents more than their pages, each address alone', () => {
    const limit = limitStrangers(new Stopped(), (path) => path !== '/private');
    expect(allowed(limit, '/docs/search', '192.0.2.1')).toBe(30);
    expect(allowed(limit, '/docs/search/', '192.0.2.1')).toBe(0);
    expect(allowed(limit, '/docs/search', '198.51.100.1')).toBe(30);
    expect(allowed(limit, '/docs/connect/okta', '192.0.2.1')).toBe(300);
    expect(allowed(limit, '/api/auth/login', '192.0.2.1')).toBe(1_000);
    expect(allowed(limit, '/private', '192.0.2.1')).toBe(Infinity);
  });
});
