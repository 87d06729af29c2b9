import { causeInWords, wordsOfCause, type Cause } from '../../../src/tenancy/identity/cause.rules.js';
import type { ChangeSource } from '../../../src/tenancy/identity/person.js';

const group = { id: 'grp_1', name: 'Sales' };
it.each<[Cause, ChangeSource['surface'], string]>([
  [{ kind: 'written' }, 'scim', 'written by the directory'],
  [{ kind: 'written' }, 'api', 'written through the users API'],
  [{ kind: 'written', role: { by: 'default' } }, 'sign-in', 'written at sign-in; default role'],
  [{ kind: 'linked', role: { by: 'roles', value: 'Admin' } }, 'scim', 'linked by the directory; role by the SCIM roles value Admin'],
  [{ kind: 'membership', group, role: { by: 'rule', group } }, 'scim', 'membership of the group Sales has changed; role by the rule for the group Sales'],
  [{ kind: 'membership' }, 'system', 'membership of a group has changed'],
  [{ kind: 'settings', role: { by: 'none' }, held: 'no_role' }, 'system', 'rules or settings of the directory changed; no role applies; held as no_role'],
  [{ kind: 'released', reason: 'protected' }, 'api', 'released by an admin, was held as protected'],
  [{ kind: 'exchanged', users: ['usr_1', 'usr_2'] }, 'scim', 'exchange of values with usr_1, usr_2'],
  [{ kind: 'hold_ended', reason: 'superseded' }, 'system', 'end of the takeover by another directory'],
  [{ kind: 'hold_ended' }, 'system', 'what held the user has ended'],
])('describes %j by %s in words', (cause, surface, expected) => {
  expect(wordsOfCause(cause, surface)).toBe(expected);
}); // prettier-ignore

it('has no cause when none is recorded', () => {
  expect(causeInWords(null, { surface: 'scim' } as ChangeSource)).toBeNull();
});
