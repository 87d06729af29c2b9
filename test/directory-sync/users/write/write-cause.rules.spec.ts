import type { Cause } from '../../../../src/tenancy/identity/cause.rules.js';
import type { UserWithGroups } from '../../../../src/directory-sync/users/users.repository.js';
import {
  NO_CONFLICTS,
  type Conflicts,
  type Edit,
  type WriteCase,
} from '../../../../src/directory-sync/users/write/write-case.js';
import { planWrite, type WriteCommand } from '../../../../src/directory-sync/users/write/write-plan.rules.js';
import { byRules, caseOf, DIRECTORY, draft, STAMP, stored } from './support.js';

const causeOf = (command: WriteCommand, conflicts: Partial<Conflicts> = {}): Cause | undefined =>
  planWrite(command, { ...NO_CONFLICTS, ...conflicts }, STAMP)?.consequences?.change?.cause;
const created = (about: WriteCase, conflicts: Partial<Conflicts> = {}) => causeOf({ kind: 'create', about }, conflicts);
const edited = (edit: Edit, row: UserWithGroups, more: Partial<WriteCase> = {}, directory = DIRECTORY) =>
  causeOf({ kind: 'edit', about: { ...caseOf({ draft: edit.draft, ...more }, directory), row }, edit });
const change: Edit = { kind: 'change', draft: draft({ first_name: 'A' }) };

it.each<[string, WriteCase, Cause]>([
  ['the default', caseOf(), { kind: 'written', role: { by: 'default' } }],
  [
    'the value of SCIM roles',
    caseOf({ draft: { ...draft(), roles: ['Admin', 'Guest'] } }),
    { kind: 'written', role: { by: 'roles', value: 'Guest' } },
  ],
  [
    'the first rule of the catalogue',
    caseOf({ fromRules: byRules('Gone', 'Guest') }),
    { kind: 'written', role: { by: 'rule', group: { id: 'grp_Guest', name: 'Guests' } } },
  ],
  ['the caller', caseOf({ roleSet: 'Admin' }, null), { kind: 'written', role: { by: 'set' } }],
  [
    'the role map',
    caseOf({ roleSet: 'Admin', roleOrigin: { by: 'role_map', value: 'bosses' } }, null),
    { kind: 'written', role: { by: 'role_map', value: 'bosses' } },
  ],
  ['nothing', caseOf({}, { ...DIRECTORY, defaultRole: null }), { kind: 'written', held: 'no_role' }],
])('names where the role of a new user comes from: %s', (_, about, expected) => {
  expect(created(about)).toEqual(expected);
});

it('names why a new user is held', () => {
  expect(created(caseOf(), { emailTaken: true })).toMatchObject({ held: 'email_taken' });
});

it('names no origin when the role stays', () => {
  expect(edited(change, stored())).toEqual({ kind: 'written' });
});

it('marks a role that only replaces one that waits for a seat', () => {
  const row = stored(caseOf({ draft: { ...draft(), roles: ['Guest'] } }), { role: 'Auditor', seat: 'none' });
  const about = { ...caseOf({ draft: { ...draft(), roles: ['User', 'Guest'] } }), row };
  const edit: Edit = { kind: 'change', draft: about.draft };
  expect(causeOf({ kind: 'edit', about, edit }, { seatFree: false })).toEqual({
    kind: 'written',
    role: { by: 'no_seat' },
    held: 'no_seat',
  });
});

const waits = stored(caseOf(), { seat: 'waiting', held: 'no_seat', status: 'inactive' });
const group = { id: 'grp_1', name: 'Sales' };
const inTurn = { ...caseOf().ctx, inTurn: true };
it.each<[string, Edit, UserWithGroups, Partial<WriteCase>, Cause]>([
  [
    'a link',
    { kind: 'link', draft: draft(), directoryId: 'dir', by: 'email' },
    stored(caseOf({}, null)),
    {},
    { kind: 'linked' },
  ],
  ['the hold that ended', { kind: 'reconsider', draft: draft() }, waits, {}, { kind: 'hold_ended', reason: 'no_seat' }],
  [
    'the seat, in each held state of the user',
    { kind: 'reconsider', draft: draft() },
    { ...waits, held: 'email_taken' },
    { ctx: inTurn },
    { kind: 'hold_ended', reason: 'no_seat' },
  ],
  [
    'a discard',
    { kind: 'discard', draft: draft({ active: false }), discardedRole: null, released: null },
    waits,
    {},
    { kind: 'discarded', reason: 'no_seat' },
  ],
  [
    'the given trigger',
    { kind: 'reconsider', draft: draft(), trigger: { kind: 'membership', group } },
    waits,
    {},
    { kind: 'membership', group },
  ],
])('names the cause of an edit: %s', (_, edit, row, more, expected) => {
  expect(edited(edit, row, more)).toEqual(expected);
});

it('names the cause of a removal', () => {
  const about = { ...caseOf(), row: stored() };
  expect(causeOf({ kind: 'remove', about })).toEqual({ kind: 'written' });
  const trigger = { kind: 'released', reason: 'protected' } as const;
  expect(causeOf({ kind: 'remove', about, trigger })).toEqual(trigger);
});
