import { EVENT_COLUMNS, eventCells, eventView, eventOriginOf } from '../../../src/seats/ledger/event.mapping.js';
import type { SealedEntry } from '../../../src/seats/ledger/chain.rules.js';

const entry = (source: object): SealedEntry => ({ source, sequence: 1 }) as unknown as SealedEntry;

it.each([
  ['a SCIM token', { surface: 'scim', actor: { kind: 'token', id: 'tok_1', name: 'Okta' } }, { actor_kind: 'token', actor_id: 'tok_1', actor: 'Okta', channel: 'scim' }],
  ['a sign-in', { surface: 'sign-in', actor: { kind: 'connection', id: 'con_1' } }, { actor_kind: 'connection', actor_id: 'con_1', actor: null, channel: 'sign_in' }],
  ['an entry without a source', {}, { actor_kind: null, actor_id: null, actor: null, channel: null }],
])('shows the origin of %s', (_, source, expected) => {
  expect(eventOriginOf(entry(source))).toEqual(expected);
}); // prettier-ignore

it('shows the sealed line and its origin', () => {
  expect(eventView(entry({ surface: 'api' }))).toMatchObject({ sequence: 1, channel: 'api', actor: null });
});

describe('the cells of a line in CSV', () => {
  const person = { first_name: 'Zoë', last_name: 'Müller', email: 'zoe@example.com' };
  const policy = { directory: 'wait', api: 'block', sign_in: 'allow' };
  const cells = (details: unknown, who?: typeof person) => {
    const line = { ...entry({ request_id: 'req_1' }), details, delta: 0 };
    return Object.fromEntries(eventCells(line, who).map((cell, i) => [EVENT_COLUMNS[i], cell]));
  };

  it.each([
    ['a claim, with the user of today', cells(null, person), { ...person, request_id: 'req_1', limit: undefined }],
    ['a user who is deleted', cells(null), { first_name: undefined, email: undefined }],
    ['a limit', cells({ limit: 9, policy }), { limit: 9, policy_directory: 'wait', policy_sign_in: 'allow' }],
    ['no limit', cells({ limit: null, policy }), { limit: 'none', policy_api: 'block' }],
    [
      'a correction of two lines',
      cells({ holds: false, first: { sequence: 9 }, second: { sequence: 10 } }),
      { holds: false, corrects_first: 9, corrects_second: 10 },
    ],
    [
      'a correction of a sum',
      cells({ holds: true, first: null, second: null }),
      { holds: true, corrects_first: undefined },
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toMatchObject(expected);
    expect(Object.values(found).filter((cell) => typeof cell === 'object' && cell !== null)).toEqual([]);
  });
});
