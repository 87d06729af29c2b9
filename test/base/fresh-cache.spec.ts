import { Clock } from '../../src/base/clock.js';
import { FreshCache } from '../../src/base/fresh-cache.js';

class Hand extends Clock {
  ms = 0;
  now(): Date {
    return new Date(this.ms);
  }
  monotonic(): number {
    return this.ms;
  }
}

it('shares one read between callers at the same time, and reads again after the lifetime', async () => {
  const clock = new Hand();
  const cache = new FreshCache<number>(clock, 800);
  let reads = 0;
  const load = async () => ++reads;
  expect(await Promise.all([1, 2, 3].map(() => cache.get('k', load)))).toEqual([1, 1, 1]);
  clock.ms = 799;
  expect(await cache.get('k', load)).toBe(1);
  clock.ms = 800;
  expect(await cache.get('k', load)).toBe(2);
  cache.drop('k');
  expect(await cache.get('k', load)).toBe(3);
});

it('does not keep a failure', async () => {
  const cache = new FreshCache<number>(new Hand(), 800);
  await expect(cache.get('k', async () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('k', async () => 5)).toBe(5);
});

it('keeps no more values than its limit', async () => {
  const cache = new FreshCache<number>(new Hand(), 800, { capacity: 2 });
  for (const key of ['a', 'b', 'c']) await cache.get(key, async () => 1);
  expect(['a', 'b', 'c'].map((key) => cache.knows(key))).toEqual([false, true, true]);
});

it('keeps no more bytes than its limit, with any number of values', async () => {
  const cache = new FreshCache<string>(new Hand(), 800, { maxBytes: 1_000_000 });
  for (let i = 0; i < 100; i++) await cache.get(`k${i}`, async () => 'x'.repeat(50_000));
  expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
  expect(cache.knows('k99')).toBe(true);
  expect(cache.knows('k0')).toBe(false);
});
