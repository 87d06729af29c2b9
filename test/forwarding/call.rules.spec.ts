import { createsAccount, digestOf, isKnown, type Call } from '../../src/engine/delivery/outcome.js';
import { callStepOf } from '../../src/forwarding/call.rules.js';
import { personText } from '../../src/forwarding/platform-user.mapping.js';
import { callWith } from '../support/lanes.js';
import { personOf } from '../support/persons.js';

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
