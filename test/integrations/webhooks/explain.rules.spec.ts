import { explain, type EventTrace } from '../../../src/integrations/webhooks/explain.rules.js';

const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 2, 9, minute));
const trace: EventTrace = {
  at: at(10),
  taken: true,
  endpointSince: at(0),
  deliveredAt: undefined,
  givenUp: undefined,
  lane: undefined,
  unreadable: false,
  endpoint: { state: 'ok', state_reason: null, state_since: at(0), next_probe_at: null },
};
const lane = { subject: 'evt_1', first: '1', through: '1', since: at(10), failures: 2, nextAt: at(20) };
const givenUp = {
  sequence: '1',
  event: 'job.synced',
  record: null,
  at: at(10),
  given_up_at: at(30),
  reason: 'status_500',
};
const off = (state_reason: string) => ({
  state: 'paused' as const,
  state_reason,
  state_since: at(5),
  next_probe_at: null,
});

it.each<[string, Partial<EventTrace>, object]>([
  ['arrived', { deliveredAt: at(11) }, { outcome: 'delivered', delivered_at: at(11) }],
  ['arrived after it was given up', { deliveredAt: at(40), givenUp }, { outcome: 'delivered' }],
  ['waits', { lane }, { outcome: 'waiting', next_attempt_at: at(20), failures: 2 }],
  ['waits for its turn', { lane: { ...lane, nextAt: null } }, { outcome: 'waiting', next_attempt_at: null }],
  [
    'waits for an endpoint that is away',
    { lane, endpoint: { state: 'open', state_reason: 'timeout', state_since: at(5), next_probe_at: at(25) } },
    { outcome: 'waiting', next_attempt_at: at(25) },
  ],
  [
    'arrived, and is sent again',
    { lane, deliveredAt: at(11) },
    { outcome: 'waiting', delivered_at: at(11), next_attempt_at: at(20) },
  ],
  ['the endpoint is off', { lane, endpoint: off('gone') }, { outcome: 'endpoint_off', failures: 2 }],
  ['no key opens its secrets', { lane, unreadable: true }, { outcome: 'endpoint_off', next_attempt_at: null }],
  ['its address is refused', { lane, endpoint: off('address_refused') }, { outcome: 'address_refused' }],
  ['given up', { givenUp }, { outcome: 'given_up', given_up_at: at(30) }],
  ['older than the endpoint', { at: at(-1) }, { outcome: 'endpoint_made_later' }],
  ['filtered out', { taken: false }, { outcome: 'filtered_out' }],
  ['without a trace', {}, { outcome: 'not_sent' }],
])('%s', (_, more, expected) => {
  const said = explain({ ...trace, ...more });
  expect(said).toMatchObject(expected);
  expect(said.why).toMatch(/\.$/);
});
