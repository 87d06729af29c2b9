import { digestOf, type Call, type Lookup } from '../../src/delivery/call.js';
import type { Bound } from '../../src/delivery/lanes/accounts.js';
import type { Verdict } from '../../src/delivery/retry.rules.js';
import { adoptByEmail, adoptByExternalId, sameEmail } from '../../src/forwarding/adoption.rules.js';
import { stepOf, type Write } from '../../src/forwarding/call.rules.js';
import { outcomeOf } from '../../src/forwarding/outcome.rules.js';
import { idIn, personText, readPlatformUser } from '../../src/forwarding/platform-user.mapping.js';
import { findingOf } from '../../src/forwarding/platform/platform-test.rules.js';
import { personOf } from './harness.js';

const person = personOf('usr_1', { last_name: '' });
const call = (more: Partial<Call> = {}): Call => ({
  v: 1,
  n: 1,
  by: '00000000-0000-0000-0000-000000000000',
  state: 'active',
  person: personText(person),
  as: 'inactive',
  first: 1,
  through: 1,
  round: 0,
  epoch: 1,
  platform_id: null,
  confirmed: null,
  known: null,
  lookup: null,
  ...more,
});

describe('stepOf', () => {
  const id = { platform_id: 'hp_1' };
  it.each<[string, Partial<Call>, object]>([
    ['nothing new', { confirmed: 'active', known: digestOf(personText(person)) }, { kind: 'nothing' }],
    ['a new person', {}, { kind: 'create', body: JSON.stringify(person) }],
    [
      'a person without key and role',
      { person: personText({ ...person, external_id: null, role: null }) },
      { kind: 'create', body: '{"email":"usr_1@example.com","first_name":"First","last_name":""}' },
    ],
    [
      'a person in whose name a null is written',
      { person: personText({ ...person, first_name: 'a:null', role: null }) },
      { kind: 'create', body: JSON.stringify({ ...person, first_name: 'a:null', role: undefined }) },
    ],
    ['a change', { ...id, confirmed: 'active' }, { kind: 'update', id: 'hp_1', body: JSON.stringify(person) }],
    [
      'a return',
      { ...id, confirmed: 'inactive' },
      { kind: 'update', body: JSON.stringify({ ...person, status: 'active' }) },
    ],
    ['an adopted account', { ...id }, { kind: 'update', body: JSON.stringify({ ...person, status: 'active' }) }],
    [
      'a deactivation',
      { ...id, state: 'inactive', confirmed: 'active' },
      { kind: 'deactivate', body: '{"status":"inactive"}' },
    ],
    [
      'a deactivation that deletes',
      { ...id, state: 'inactive', as: 'delete', confirmed: 'active' },
      { kind: 'delete', id: 'hp_1' },
    ],
    ['a deletion', { ...id, state: 'deleted', as: 'delete', confirmed: 'active' }, { kind: 'delete' }],
    [
      'a deletion that deactivates',
      { ...id, state: 'deleted', as: 'inactive', confirmed: 'active' },
      { kind: 'deactivate' },
    ],
    [
      'a deletion of somebody inactive',
      { ...id, state: 'deleted', as: 'delete', confirmed: 'inactive' },
      { kind: 'delete' },
    ],
    [
      'the same, where both are one',
      { ...id, state: 'deleted', as: 'inactive', confirmed: 'inactive' },
      { kind: 'nothing' },
    ],
    ['a leaver who was never there', { state: 'inactive' }, { kind: 'nothing' }],
    ['a deleted one who was never there', { state: 'deleted', as: 'delete' }, { kind: 'nothing' }],
    [
      'a leaver who is there under an id we never learned',
      { state: 'inactive', confirmed: 'active' },
      { kind: 'look' },
    ],
    ['a leaver who may be there', { state: 'inactive', lookup: { why: 'lost' } }, { kind: 'look' }],
    ['a conflict', { lookup: { why: 'conflict' } }, { kind: 'look' }],
    [
      'a conflict of somebody who leaves by now',
      { ...id, state: 'deleted', as: 'delete', confirmed: 'inactive', lookup: { why: 'conflict' } },
      { kind: 'delete', id: 'hp_1' },
    ],
    [
      'a conflict of somebody who leaves and whose account we do not know',
      { state: 'inactive', lookup: { why: 'conflict' } },
      { kind: 'look' },
    ],
    ['a conflict that is none any more', { lookup: { why: 'dissolved', dissolved: 1 } }, { kind: 'create' }],
  ])('%s', (_, more, step) => expect(stepOf(call(more))).toMatchObject(step));

  it('gives the same bytes for the same call', () => {
    const one = call({ platform_id: 'hp_1' });
    expect(stepOf(JSON.parse(JSON.stringify(one)) as Call)).toEqual(stepOf(one));
  });
});

describe('outcomeOf', () => {
  const create: Write = { kind: 'create', body: '{}' };
  const update: Write = { kind: 'update', id: 'hp_1', body: '{}' };
  const leave: Write = { kind: 'deactivate', id: 'hp_1', body: '{}' };
  const remove: Write = { kind: 'delete', id: 'hp_1' };
  const ok = (body: unknown): Verdict => ({ kind: 'ok', status: 200, body });
  const missing: Verdict = { kind: 'missing', status: 404, words: 'w' };
  const conflict = (body: unknown): Verdict => ({ kind: 'conflict', status: 409, words: 'w', body });
  const lookup = (l: Lookup): object => ({ kind: 'next', lookup: l });

  it.each<[string, Write, Verdict, object]>([
    ['a create', create, ok({ id: 'hp_9' }), { kind: 'delivered', bind: 'hp_9' }],
    ['a create with a number for an id', create, ok({ id: 9 }), { kind: 'delivered', bind: '9' }],
    ['a create without a body', create, ok(null), { kind: 'next', lookup: { why: 'no_id' }, confirm: true }],
    ['an update without a body', update, ok(null), { kind: 'delivered' }],
    ['a deletion', remove, ok(null), { kind: 'delivered', bind: null }],
    ['404 to a create', create, missing, { kind: 'unavailable', reason: 'status_404' }],
    ['404 to an update', update, missing, lookup({ why: 'gone', status: 404, detail: 'w' })],
    ['404 to a deactivation', leave, missing, lookup({ why: 'gone', status: 404, detail: 'w' })],
    ['404 to a deletion', remove, missing, lookup({ why: 'gone', status: 404, detail: 'w' })],
    [
      '409 to a create',
      create,
      conflict({ id: 'hp_2' }),
      lookup({ why: 'conflict', id: 'hp_2', status: 409, detail: 'w' }),
    ],
    ['409 without an id', create, conflict(null), lookup({ why: 'conflict', status: 409, detail: 'w' })],
    [
      '409 to an update',
      update,
      conflict({ id: 'hp_2' }),
      lookup({ why: 'conflict', id: 'hp_2', status: 409, detail: 'w' }),
    ],
    ['409 to a deletion', remove, conflict({}), { kind: 'refused', status: 409 }],
    ['422', update, { kind: 'refused', status: 422, words: 'w' }, { kind: 'refused', status: 422, detail: 'w' }],
  ])('%s', (_, step, verdict, outcome) =>
    expect(outcomeOf(step, call(), verdict)).toEqual(expect.objectContaining(outcome)),
  );
});

describe('adoption', () => {
  const bound = (more: Partial<Bound> = {}): Bound => ({
    subject: 'usr_2',
    target_state: 'active',
    pending: false,
    parked: false,
    ...more,
  });
  it.each<[string, Bound | null, string]>([
    ['nobody’s', null, 'adopt'],
    ['of somebody active', bound(), 'refuse'],
    ['of somebody with something on the way', bound({ target_state: 'deleted', pending: true }), 'wait'],
    ['of somebody who is parked', bound({ target_state: 'deleted', pending: true, parked: true }), 'refuse'],
    ['of a leaver who is done', bound({ target_state: 'deleted' }), 'adopt'],
  ])('by external_id, %s', (_, by, kind) => expect(adoptByExternalId(by).kind).toBe(kind));

  const account = (more: object = {}) =>
    readPlatformUser({ id: 'hp_1', email: 'USR_1@EXAMPLE.com', external_id: null, status: 'active', ...more })!;
  it.each<[string, object, Bound | null, string]>([
    ['nobody’s', {}, null, 'adopt'],
    ['that says nothing of a status', { status: undefined }, null, 'adopt'],
    ['with our external_id', { external_id: 'x-usr_1' }, null, 'adopt'],
    ['with an empty external_id', { external_id: '' }, null, 'adopt'],
    ['with another external_id', { external_id: 'other' }, null, 'refuse'],
    ['with another e-mail', { email: 'other@example.com' }, null, 'refuse'],
    ['of somebody who left', { status: 'inactive' }, null, 'refuse'],
    ['of somebody here', {}, bound(), 'refuse'],
    ['of a leaver here', {}, bound({ target_state: 'inactive' }), 'refuse'],
    ['of a leaver on the way out', {}, bound({ target_state: 'deleted', pending: true }), 'wait'],
  ])('by e-mail, %s', (_, more, by, kind) => expect(adoptByEmail(person, account(more), by).kind).toBe(kind));

  it('compares mailboxes without regard to case, and no e-mail with nothing', () => {
    expect(sameEmail('A@b', 'a@B')).toBe(true);
    expect(sameEmail(null, null)).toBe(false);
  });
});

describe('readPlatformUser', () => {
  it.each([null, 1, 'x', [], {}, { id: '' }, { id: {} }, { id: 'x'.repeat(300) }])('refuses %j', (value) =>
    expect(readPlatformUser(value)).toBeNull(),
  );
  it('takes what is text, and nothing else', () => {
    expect(readPlatformUser({ id: 7, email: 'a@b', role: 5 })).toEqual({
      id: '7',
      email: 'a@b',
      first_name: null,
      last_name: null,
      role: null,
      external_id: null,
      status: null,
    });
  });
  it.each([
    [{ id: 'a' }, 'a'],
    [{ data: { id: 'b' } }, 'b'],
    [{ user: { id: 3 } }, '3'],
    [{}, null],
    [null, null],
    ['x', null],
  ])('finds the id in %j', (body, id) => expect(idIn(body)).toBe(id));
});

describe('findingOf', () => {
  const find = (verdict: Verdict) => findingOf(verdict, 'https://p.example', '/v1/resolve');
  it.each<[Verdict, boolean, RegExp]>([
    [{ kind: 'ok', status: 200, body: { found: false } }, true, /as it should/],
    [{ kind: 'ok', status: 200, body: { hello: 1 } }, false, /not as the platform's users API/],
    [{ kind: 'missing', status: 404, words: '' }, false, /nothing at \/v1\/resolve \(404\)/],
    [{ kind: 'refused', status: 400, words: 'type?' }, false, /400: type\?/],
    [{ kind: 'stopped', status: 401, reason: 'credential_refused', words: '' }, false, /does not accept the key/],
    [
      { kind: 'stopped', status: 301, reason: 'redirect', words: 'https://x' },
      false,
      /leads elsewhere \(301 to https:\/\/x\)/,
    ],
    [{ kind: 'stopped', status: null, reason: 'address_refused', words: '' }, false, /not a public one/],
    [
      { kind: 'unavailable', status: 200, reason: 'html', ownFault: true, retryAfterMs: null, words: '' },
      false,
      /web page/,
    ],
    [
      { kind: 'unavailable', status: null, reason: 'tls', ownFault: false, retryAfterMs: null, words: '' },
      false,
      /certificate/,
    ],
    [
      { kind: 'unavailable', status: 500, reason: 'status_500', ownFault: true, retryAfterMs: null, words: '' },
      false,
      /trouble \(500\)/,
    ],
  ])('%j', (verdict, ok, message) => {
    expect(find(verdict).ok).toBe(ok);
    expect(find(verdict).message).toMatch(message);
  });
});
