import { mkdtempSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Clock } from '../../../src/base/clock.js';
import { loadConfig } from '../../../src/base/config/load-config.js';
import { TooManyRequests } from '../../../src/base/http/http.errors.js';
import { Buckets, limitDirectory, RateLimiter } from '../../../src/base/http/rate-limit.js';

class Hand extends Clock {
  ms = 0;
  now(): Date {
    return new Date(this.ms);
  }
  monotonic(): number {
    return this.ms;
  }
}

it('allows a burst, then the rate, each name for itself', () => {
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

it('remembers so many names and no more', () => {
  const buckets = new Buckets(1, 1, new Hand(), 10);
  buckets.take('first');
  expect(buckets.take('first').allowed).toBe(false);
  for (let i = 0; i < 10; i++) buckets.take(`n${i}`);
  expect(buckets.take('first').allowed).toBe(true);
});

describe('a directory in its first day', () => {
  const limiter = (clock: Clock) =>
    new RateLimiter(
      loadConfig({ RATE_LIMIT: '100', DATA_DIR: mkdtempSync(path.join(os.tmpdir(), 'bridge-test-')) }),
      clock,
    );
  const request = (limits: RateLimiter, firstDayFrom: number, tenantId = 'ten_1'): boolean => {
    const res = { setHeader: () => undefined } as unknown as ServerResponse;
    try {
      limitDirectory(limits, res, 'tok_1', { tenantId, firstDayFrom });
      return true;
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      return false;
    }
  };
  const allowed = (count: number, one: () => boolean): number =>
    Array.from({ length: count }, one).filter(Boolean).length;

  it('sends 10 000 users without a wait, and 500 a second after that', () => {
    const clock = new Hand();
    const limits = limiter(clock);
    expect(allowed(10_100, () => request(limits, 0))).toBe(10_000);
    clock.ms += 1_000;
    expect(allowed(1_000, () => request(limits, 0))).toBe(500);
    expect(request(limits, 0, 'ten_2')).toBe(true);
  });

  it('shares its allowance with the other new directories of the tenant', () => {
    const limits = limiter(new Hand());
    expect(allowed(10_000, () => request(limits, 0))).toBe(10_000);
    expect(request(limits, -1_000)).toBe(false);
  });

  it('has the ordinary limit from the second day on', () => {
    const clock = new Hand();
    const limits = limiter(clock);
    clock.ms = 24 * 3_600_000;
    expect(allowed(2_000, () => request(limits, 0))).toBe(1_000);
  });
});
