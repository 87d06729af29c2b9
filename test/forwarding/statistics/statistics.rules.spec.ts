import type { DeliveryHour } from '../../../src/engine/delivery/delivery-hours.js';
import { startOf, statisticsOf } from '../../../src/forwarding/statistics/statistics.rules.js';

const at = (text: string): number => Date.parse(text);
const hour = (text: string, more: Partial<DeliveryHour> = {}): DeliveryHour => {
  return { hour: new Date(text), accepted: 1, confirmed: 0, failed: 0, parked: 0, lags: [], ...more };
};

it('begins an interval at the full hour or day of UTC', () => {
  expect(startOf(at('2026-03-29T01:59:59.999Z'), 'hour')).toBe(at('2026-03-29T01:00:00Z'));
  expect(startOf(at('2026-03-29T23:00:00Z'), 'day')).toBe(at('2026-03-29T00:00:00Z'));
});

it('adds the hours of a day, and has a line for a day without changes', () => {
  const hours = [
    hour('2026-03-01T00:00:00Z', { confirmed: 2, lags: [2] }),
    hour('2026-03-01T23:00:00Z', { failed: 3, parked: 1, lags: [0, 0, 1] }),
    hour('2026-03-03T00:00:00Z'),
  ];
  const range = { from: at('2026-03-01T00:00:00Z'), to: at('2026-03-04T00:00:00Z'), interval: 'day' } as const;
  expect(statisticsOf(hours, range)).toEqual([
    { from: '2026-03-01T00:00:00.000Z', accepted: 2, confirmed: 2, failed: 3, parked: 1, lag_p50_ms: 10, lag_p95_ms: 14 },
    { from: '2026-03-02T00:00:00.000Z', accepted: 0, confirmed: 0, failed: 0, parked: 0, lag_p50_ms: null, lag_p95_ms: null },
    { from: '2026-03-03T00:00:00.000Z', accepted: 1, confirmed: 0, failed: 0, parked: 0, lag_p50_ms: null, lag_p95_ms: null },
  ]); // prettier-ignore
});
