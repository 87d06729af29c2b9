import { Rate } from '../../../../src/engine/delivery/pump/destination-watch.js';
import { Semaphore } from '../../../../src/base/loop.js';

it('a rate lets its number of calls through', () => {
  const rate = new Rate(50, 0);
  let passed = 0;
  for (let now = 0; now < 10_000; now += 1) if (rate.take(now) === 0) passed++;
  expect(passed).toBeGreaterThan(490);
  expect(passed).toBeLessThanOrEqual(506);
});

it('a rate returns the time to wait', () => {
  const rate = new Rate(1, 0);
  expect(rate.take(0)).toBe(0);
  expect(rate.take(0)).toBe(1_000);
  expect(rate.take(400)).toBe(600);
  expect(rate.take(1_000)).toBe(0);
});

it('a semaphore lets through its number at a time, in their order, also when they throw', async () => {
  const semaphore = new Semaphore(2);
  let inside = 0;
  let most = 0;
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      semaphore
        .run(async () => {
          order.push(n);
          most = Math.max(most, ++inside);
          await new Promise((resolve) => setImmediate(resolve));
          inside--;
          if (n % 3 === 0) throw new Error('no');
        })
        .catch(() => undefined),
    ),
  );
  expect(most).toBe(2);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});
