import type { Outcome } from '../../src/engine/delivery/outcome.js';
import type { Verdict } from '../../src/engine/delivery/retry.rules.js';
import { attemptOf, nothingSaid } from '../../src/forwarding/account-finder.js';

const NOW = new Date();
const request = { method: 'PATCH', path: '/v1/users/hp_1', body: '{}', timeoutMs: 1 } as const;
const ok: Verdict = { kind: 'ok', status: 200, body: { email: 'a@e.com' } };

it.each<[string, Verdict, Outcome, object]>([
  ['a success, without its answer', ok, { kind: 'delivered' }, { outcome: 'delivered', answer: null, detail: null }],
  ['an answered question', ok, { kind: 'nothing' }, { outcome: 'found' }],
  [
    'a refusal, with its words',
    { kind: 'refused', status: 422, words: 'no' },
    { kind: 'refused', status: 422, detail: 'no' },
    { outcome: 'refused', answer: 'no', status: 422 },
  ],
  [
    'an outage, with its reason',
    { kind: 'unavailable', status: null, reason: 'timeout', ownFault: true, retryAfterMs: null, words: '' },
    { kind: 'unavailable', reason: 'timeout', ownFault: true, retryAfterMs: null },
    { outcome: 'unavailable', detail: 'timeout' },
  ],
])('records %s', (_, verdict, outcome, expected) => {
  expect(attemptOf(request, verdict, outcome, 5, NOW)).toMatchObject({ path: request.path, ms: 5, ...expected });
});

it('records an attempt without a call', () => {
  expect(nothingSaid(NOW)).toMatchObject({ method: 'NONE', outcome: 'nothing_to_say', sentAt: NOW });
});
