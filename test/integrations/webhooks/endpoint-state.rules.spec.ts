import { endpointStateOf } from '../../../src/integrations/webhooks/endpoint-state.rules.js';

const well = { state: 'ok' as const, stateReason: null, failingSince: null, failingStage: 0 };

it.each([
  ['one that takes events', well, false, 'active', null],
  ['a single failure', { ...well, failingSince: new Date(), failingStage: 0 }, false, 'active', null],
  ['a streak of failures', { ...well, failingSince: new Date(), failingStage: 1 }, false, 'degraded', 'failing'],
  ['one that is away', { ...well, state: 'open' as const, stateReason: 'status_500' }, false, 'degraded', 'status_500'],
  ['a pause by hand', { ...well, state: 'paused' as const, stateReason: 'by_hand' }, false, 'paused', 'by_hand'],
  ['410', { ...well, state: 'paused' as const, stateReason: 'gone' }, false, 'disabled', 'gone'],
  ['five days', { ...well, state: 'paused' as const, stateReason: 'failing' }, false, 'disabled', 'failing'],
  ['an unreadable secret', well, true, 'disabled', 'secret_unreadable'],
])('%s', (_, destination, unreadable, state, reason) => {
  expect(endpointStateOf(destination, unreadable)).toEqual({ state, reason });
});
