import type { UserWithGroups } from '../../../../src/directory-sync/users/users.repository.js';
import { decide, writtenIn } from '../../../../src/directory-sync/users/write/state.rules.js';
import { isSame, newWrite, nextWrite, rowAfter } from '../../../../src/directory-sync/users/write/user-write.rules.js';
import {
  NO_CONFLICTS,
  type WriteCase,
  type Conflicts,
  type Edit,
} from '../../../../src/directory-sync/users/write/write-case.js';
import { planWrite, type WriteCommand } from '../../../../src/directory-sync/users/write/write-plan.rules.js';
import type { Cause } from '../../../../src/tenancy/identity/cause.rules.js';
import { caseOf, DIRECTORY, draft, STAMP, stored, byRules } from './support.js';

const decided = (about: WriteCase) => decide(about, writtenIn(about), NO_CONFLICTS);
const RECONSIDER = { kind: 'reconsider', draft: draft() } as const;

describe('the row of a new user', () => {
  it('has id and time of the stamp, and belongs to the directory', () => {
    const write = newWrite(caseOf(), decided(caseOf()), STAMP);
    expect(write).toMatchObject({ id: 'usr_new', at: STAMP.at, directoryId: 'dir', source: 'scim', nameWritten: true });
    expect(write.everActive).toBe(true);
  });

  it('of a user without an address is not known to the platform', () => {
    const about = caseOf({ draft: { ...draft(), email: null } });
    expect(newWrite(about, decided(about), STAMP).everActive).toBe(false);
  });

  it('has version 1', () => {
    expect(rowAfter(null, newWrite(caseOf(), decided(caseOf()), STAMP))).toMatchObject({ version: 1, revision: 1 });
  });
});

describe('the next state of a user', () => {
  const about = { ...caseOf(), row: stored() };

  it('counts the version up, and keeps the id and the creation', () => {
    const write = nextWrite(about, RECONSIDER, decided(about), new Date('2026-02-01T00:00:00.000Z'));
    const after = rowAfter(about.row, write);
    expect(after).toMatchObject({ id: about.row.id, version: 2, created_at: about.row.created_at });
    expect(after.updated_at).toBe(Date.parse('2026-02-01T00:00:00.000Z'));
  });

  it('keeps the effective cost centre while the directory is in preview', () => {
    const preview = { ...DIRECTORY, state: 'preview' as const };
    const row = stored(caseOf(), { cost_center: 'CC-1' });
    const next = { ...caseOf({ draft: { ...draft(), costCenter: 'CC-2' } }, preview), row };
    expect(nextWrite(next, RECONSIDER, decided(next), STAMP.at).costCenter).toBe('CC-1');
  });

  it('ends the release over the limit once the seat is given back', () => {
    const leaver = { ...caseOf({ released: 'no_seat', draft: draft({ active: false }) }), row: stored() };
    expect(nextWrite(leaver, RECONSIDER, decided(leaver), STAMP.at).released).toBeNull();
  });
});

it.each([
  ['nothing differs', {}, true],
  ['the name differs', { first_name: 'Augusta' }, false],
  ['the seat differs', { seat: 'waiting' as const }, false],
  ['the reason differs', { held: 'no_seat' as const }, false],
  ['the cost centre differs', { cost_center: 'CC-9' }, false],
])('is the same when %s: %#', (_, more, expected) => {
  const about = { ...caseOf(), row: stored(caseOf(), more) };
  const same = decide({ ...about, row: stored() }, writtenIn(about), NO_CONFLICTS);
  expect(isSame(about, RECONSIDER, same)).toBe(expected);
});

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
