import { deliveryLines } from '../../../src/overview/now/attention-delivery.rules.js';
import type { AttentionFacts, Now } from '../../../src/overview/now/attention.js';

const SINCE = '2026-03-05T10:00:00+00:00';
const NOW = {
  destination: { state: 'ok' },
  interview_engine: { state: 'open', message: 'Away.', waiting: 1, not_taken: 2 },
  parked: { refused: 2, rejected: 1 },
} as unknown as Now;
const FACTS = { destinations: [], ats: [], drift: null } as unknown as AttentionFacts;
const destination = (channel: string) => ({
  channel,
  id: 'main',
  name: null,
  state: 'open' as const,
  reason: 'status_503',
  since: SINCE,
  next: null,
  failing_since: null,
});

test('names each reason of parked changes once', () => {
  expect(deliveryLines(FACTS, NOW).map(({ code, id }) => [code, id])).toEqual([
    ['change.parked', 'refused'],
    ['change.parked', 'rejected'],
  ]);
});

test('says of an engine that is away once that it is, and nothing of a channel that it does not know', () => {
  const destinations = [destination('interviews'), destination('another')];
  const codes = deliveryLines({ ...FACTS, destinations }, { ...NOW, parked: {} }).map(({ code }) => code);
  expect(codes).toEqual(['interview_engine.open']);
});

test('says nothing of a platform that is back since its row was read', () => {
  expect(deliveryLines({ ...FACTS, destinations: [destination('platform')] }, { ...NOW, parked: {} })).toEqual([]);
});
