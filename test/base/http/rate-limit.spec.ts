import { Clock } from '../../../src/base/clock.js';
import { Buckets } from '../../../src/base/http/rate-limit.js';

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
