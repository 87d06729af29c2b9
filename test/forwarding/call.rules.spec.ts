import type { LeasedLane } from '../../src/engine/delivery/lane-state.js';
import { createsAccount, digestOf, isKnown, type Call, type Lookup } from '../../src/engine/delivery/outcome.js';
import type { Verdict } from '../../src/engine/delivery/retry.rules.js';
import type { Bound } from '../../src/forwarding/accounts.js';
import { callStepOf, type Write, failureOf, outcomeOf, waitFor } from '../../src/forwarding/call.rules.js';
import { personText } from '../../src/forwarding/platform-user.mapping.js';
import { callWith } from '../support/lanes.js';
import { personOf } from '../support/persons.js';

describe('call', () => {
  const person = personOf('usr_1', { last_name: '' });
  const call = (more: Partial<Call> = {}): Call => callWith({ person: personText(person), ...more });

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
      ['a person without an e-mail', { person: personText({ ...person, email: null }) }, { kind: 'nothing' }],
      [
        'an account that stands aside',
        { ...id, confirmed: 'active', lookup: { why: 'aside', standIn: { email: 's@x.invalid' } } },
        { kind: 'aside', id: 'hp_1', body: '{"email":"s@x.invalid"}' },
      ],
      [
        'a leaver whose account was to stand aside',
        { ...id, state: 'inactive', confirmed: 'active', lookup: { why: 'aside' } },
        { kind: 'deactivate' },
      ],
      [
        'a leaver whose account stands aside',
        { ...id, state: 'inactive', confirmed: 'inactive', lookup: { why: 'aside', standIn: { external_id: 's' } } },
        { kind: 'aside', id: 'hp_1', body: '{"external_id":"s"}' },
      ],
      [
        'a change of a person without an e-mail',
        { ...id, confirmed: 'active', person: personText({ ...person, email: null }) },
        { kind: 'update', id: 'hp_1', body: JSON.stringify({ ...person, email: undefined }) },
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
        'a deletion of an inactive user',
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
        'a conflict of a user who leaves by now',
        { ...id, state: 'deleted', as: 'delete', confirmed: 'inactive', lookup: { why: 'conflict' } },
        { kind: 'delete', id: 'hp_1' },
      ],
      [
        'a conflict of a leaver whose account is unknown',
        { state: 'inactive', lookup: { why: 'conflict' } },
        { kind: 'look' },
      ],
      ['a conflict that is none any more', { lookup: { why: 'dissolved', dissolved: 1 } }, { kind: 'create' }],
    ])('%s', (_, more, step) => expect(callStepOf(call(more))).toMatchObject(step));

    it('gives the same bytes for the same call', () => {
      const one = call({ platform_id: 'hp_1' });
      expect(callStepOf(JSON.parse(JSON.stringify(one)) as Call)).toEqual(callStepOf(one));
    });
  });

  it('is a create exactly when the engine stores that a call creates an account', () => {
    for (const state of ['active', 'inactive', 'deleted'] as const)
      for (const platform_id of [null, 'hp_1'])
        for (const confirmed of [null, 'active', 'inactive', 'deleted'] as const)
          for (const why of [null, 'conflict', 'gone', 'lost', 'no_id', 'dissolved', 'found'] as const) {
            const one = call({ state, platform_id, confirmed, lookup: why === null ? null : { why } });
            expect(callStepOf(one).kind === 'create').toBe(createsAccount(one) && !isKnown(one));
          }
  });
});

describe('outcome', () => {
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
      expect(outcomeOf(step, callWith(), verdict)).toEqual(expect.objectContaining(outcome)),
    );
  });

  describe('outcomeOf a call that sets a stand-in', () => {
    const aside: Write = { kind: 'aside', id: 'hp_1', body: '{}' };
    const about = { waited: 2, behind: 'usr_2', stoodAside: 'the digest of the body that it was chosen for' };
    const lookup: Lookup = { ...about, why: 'aside', standIn: { email: 'x@stand-in.invalid' } };
    const stood = { ...about, why: 'conflict' };
    const waiting = { ...stood, stoodAside: true };
    it.each<[string, Verdict, object]>([
    ['taken: the platform has another body than the known one', { kind: 'ok', status: 200, body: {} }, { kind: 'next', lookup: stood, outdated: true }],
    ['refused: not tried again', { kind: 'refused', status: 422, words: 'w' }, { kind: 'next', lookup: waiting, circling: true }],
    ['taken by another account', { kind: 'conflict', status: 409, words: 'w', body: null }, { kind: 'next', lookup: waiting, circling: true }],
    ['no such account', { kind: 'missing', status: 404, words: 'w' }, { kind: 'next', lookup: { why: 'gone', status: 404, detail: 'w' } }],
  ])('%s', (_, verdict, outcome) => {
    expect(outcomeOf(aside, callWith({ lookup }), verdict)).toEqual(outcome);
  }); // prettier-ignore
  });

  describe('failureOf', () => {
    it.each<[string, Exclude<Verdict, { kind: 'ok' }>, object]>([
      ['404 to a question', { kind: 'missing', status: 404, words: '' }, { kind: 'unavailable', reason: 'status_404' }],
      [
        '409 to a question',
        { kind: 'conflict', status: 409, words: 'w', body: null },
        { kind: 'refused', status: 409 },
      ],
      ['422', { kind: 'refused', status: 422, words: 'w' }, { kind: 'refused', status: 422, detail: 'w' }],
      [
        '401',
        { kind: 'stopped', status: 401, reason: 'credential_refused', words: 'w' },
        { kind: 'stopped', detail: 'w' },
      ],
      [
        '503',
        { kind: 'unavailable', status: 503, reason: 'status_503', ownFault: true, retryAfterMs: 5, words: '' },
        { kind: 'unavailable', reason: 'status_503', ownFault: true, retryAfterMs: 5 },
      ],
    ])('%s', (_, verdict, outcome) => expect(failureOf(verdict)).toMatchObject(outcome));
  });
});

describe('waiting', () => {
  const lane = (lookup: Lookup | null): LeasedLane => ({ subject: 'usr_1', call: { lookup } as Call }) as LeasedLane;
  const bound = (more: Partial<Bound> = {}): Bound => ({
    subject: 'usr_2',
    target_state: 'active',
    pending: true,
    parked: false,
    waiting: false,
    ...more,
  });
  const conflict = (waited?: number): Lookup => ({
    why: 'conflict',
    id: 'hp_1',
    ...(waited === undefined ? {} : { waited }),
  });

  describe('waitFor', () => {
    it('counts the waits, and keeps the name to look up', () => {
      expect(waitFor(lane(conflict()), bound())).toMatchObject({
        kind: 'wait',
        lookup: { ...conflict(1), behind: 'usr_2' },
      });
      expect(waitFor(lane(conflict(1)), bound())).toMatchObject({ kind: 'wait', lookup: conflict(2) });
      expect(waitFor(lane(null), bound())).toMatchObject({ kind: 'wait', lookup: { why: 'lost', waited: 1 } });
    });

    it.each<[string, number, Partial<Bound>, 'wait' | 'park']>([
      ['for one who is slow', 59, {}, 'wait'],
      ['for one who is slow, too long', 60, {}, 'park'],
      ['for one who waits as well', 19, { waiting: true }, 'wait'],
      ['for one who waits as well, too long', 20, { waiting: true }, 'park'],
      ['for one who is parked by now', 3, { parked: true }, 'park'],
    ])('%s', (_, waited, more, kind) => expect(waitFor(lane(conflict(waited)), bound(more)).kind).toBe(kind));

    it('names both users and the next step', () => {
      const outcome = waitFor(lane(conflict(20)), bound({ waiting: true }));
      const { detail } = outcome as { detail: string };
      for (const words of ['usr_1', 'usr_2', 'Retry', 'interim address']) expect(detail).toContain(words);
    });
  });
});
