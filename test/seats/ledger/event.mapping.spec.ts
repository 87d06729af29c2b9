import { eventView, originOf } from '../../../src/seats/ledger/event.mapping.js';
import type { SealedEntry } from '../../../src/seats/ledger/chain.rules.js';

const entry = (source: object): SealedEntry => ({ source, sequence: 1 }) as unknown as SealedEntry;

it.each([
  ['a SCIM token', { surface: 'scim', actor: { kind: 'token', id: 'tok_1', name: 'Okta' } }, { actor_kind: 'token', actor_id: 'tok_1', actor: 'Okta', channel: 'scim' }],
  ['a sign-in', { surface: 'sign-in', actor: { kind: 'connection', id: 'con_1' } }, { actor_kind: 'connection', actor_id: 'con_1', actor: null, channel: 'sign_in' }],
  ['an entry without a source', {}, { actor_kind: null, actor_id: null, actor: null, channel: null }],
])('the origin of %s', (_, source, expected) => {
  expect(originOf(entry(source))).toEqual(expected);
}); // prettier-ignore

it('shows the sealed line and its origin', () => {
  expect(eventView(entry({ surface: 'api' }))).toMatchObject({ sequence: 1, channel: 'api', actor: null });
});
