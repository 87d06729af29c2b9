import { steadyPause, steadyRules } from '../../../src/engine/delivery/failure.rules.js';
import { DeliveryOptions } from '../../../src/engine/delivery/delivery.options.js';
import { backoff } from '../../../src/engine/delivery/retry.rules.js';

const { backoff: times } = new DeliveryOptions();
const { pause } = steadyPause(times);

test('waits the pause of the failure count when the destination names none', () => {
  for (const count of [1, 2, 5, 100]) expect(pause(count, null, 0.5)).toBe(backoff(count, times, 0.5));
});

test('waits as long as Retry-After asks when that is longer', () => {
  expect(pause(1, 120_000, 0)).toBe(120_000);
});

test('waits at most five minutes for Retry-After, because the destination waits out a longer one', () => {
  expect(pause(1, 3_600_000, 0)).toBe(300_000);
});

test('never gives a message up, and never ends a destination', () => {
  const rules = steadyRules(new DeliveryOptions());
  expect(rules.pause(10_000, null, 0.99)).toBeGreaterThan(0);
  expect(rules).toMatchObject({ endsAfterMs: null, retryAfterHolds: true, waitsAside: false, probesEarly: true });
});
