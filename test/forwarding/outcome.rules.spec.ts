import type { Lookup } from '../../src/engine/delivery/outcome.js';
import type { Verdict } from '../../src/engine/delivery/retry.rules.js';
import type { Write } from '../../src/forwarding/call.rules.js';
import { failureOf, outcomeOf } from '../../src/forwarding/outcome.rules.js';
import { callWith } from '../support/lanes.js';

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
    ['409 to a question', { kind: 'conflict', status: 409, words: 'w', body: null }, { kind: 'refused', status: 409 }],
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
