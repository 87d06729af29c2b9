import type { HeldReason } from '../../../../src/tenancy/identity/person.js';
import {
  asksSeat,
  decide,
  removalHeld,
  stillReleased,
} from '../../../../src/directory-sync/users/write/effective-state.rules.js';
import { writtenIn } from '../../../../src/directory-sync/users/write/requested-state.rules.js';
import { NO_CONFLICTS, type WriteCase } from '../../../../src/directory-sync/users/write/write-case.js';
import { byRules, caseOf, DIRECTORY, draft, stored } from './support.js';

const PREVIEW = { ...DIRECTORY, state: 'preview' as const };
const SUPERSEDED = { ...DIRECTORY, superseded: true };
const decided = (about: WriteCase) => decide(about, writtenIn(about), NO_CONFLICTS);

it.each<[string, WriteCase, HeldReason | null]>([
  ['a live directory', caseOf(), null],
  ['a directory in preview', caseOf({}, PREVIEW), 'preview'],
  ['a superseded directory', caseOf({}, SUPERSEDED), 'superseded'],
  ['a directory without a role to give', caseOf({}, { ...DIRECTORY, defaultRole: null }), 'no_role'],
])('a new user of %s is held for the expected reason', (_, about, held) => {
  expect(decided(about).held).toBe(held);
});

it('holds the deactivation of a protected user by SCIM, and not by the users API', () => {
  const row = stored(caseOf(), { id: 'usr_protected' });
  const leaver = { row, draft: draft({ active: false }) };
  expect(decided(caseOf(leaver)).held).toBe('protected');
  expect(decided(caseOf(leaver, null)).held).toBeNull();
});

it.each<[string, WriteCase, boolean]>([
  ['an active user with a role that takes one', caseOf(), true],
  ['a role that takes none', caseOf({ roleSet: 'Guest' }, null), false],
  ['a role that is gone from the catalogue', caseOf({ fromRules: byRules('Gone') }), true],
  ['an inactive user', caseOf({ draft: draft({ active: false }) }), false],
  ['a directory in preview', caseOf({}, PREVIEW), false],
  ['a superseded directory', caseOf({}, SUPERSEDED), false],
  ['a user who holds one', caseOf({ row: stored() }), false],
])('asks for a seat: %s (%#)', (_, about, expected) => {
  expect(asksSeat(about, writtenIn(about))).toBe(expected);
});

describe('a write of the users API to a user of a silent directory', () => {
  const row = stored();
  const pending = draft({ first_name: 'Augusta' });
  it.each([
    ['in preview', PREVIEW, 'preview'],
    ['superseded', SUPERSEDED, 'superseded'],
  ])('takes effect alone: %s', (_, directory, held) => {
    const base = caseOf({ row, draft: pending, roleSet: 'Guest', named: ['role'] }, directory);
    const about: WriteCase = { ...base, ctx: { ...base.ctx, channel: 'api' } };
    expect(decided(about)).toEqual({
      inForce: expect.objectContaining({ role: 'Guest', first_name: 'Ada', status: 'active' }),
      seat: 'none',
      held,
    });
    const leaver = { ...about, named: ['status'], draft: draft({ active: false }) };
    expect(decided(leaver)).toMatchObject({ inForce: { status: 'inactive', first_name: 'Ada' }, seat: 'none' });
    expect(asksSeat({ ...about, roleSet: 'User', row: { ...row, seat: 'none' } }, writtenIn(about))).toBe(true);
  });

  it('sets no role that the directory gives: that one waits with the directory', () => {
    const about = caseOf({ row, roleSet: 'Admin', fromRules: byRules('Guest'), named: ['role'] }, PREVIEW);
    expect(decided(about).inForce.role).toBe('User');
  });
});

describe('a removal', () => {
  const row = stored();
  it.each<[string, Parameters<typeof removalHeld>[0], HeldReason | null]>([
    ['by a live directory', caseOf().ctx, null],
    ['by a directory in preview', caseOf({}, PREVIEW).ctx, 'preview'],
    ['by the users API', caseOf({}, null).ctx, null],
  ])('%s is held for the expected reason', (_, ctx, held) => {
    expect(removalHeld(ctx, row, new Set(), false)).toBe(held);
  });

  it('of a user that was never in force is not held in preview', () => {
    const never = { ...row, status: 'inactive' as const, ever_active: false };
    expect(removalHeld(caseOf({}, PREVIEW).ctx, never, new Set(), false)).toBeNull();
  });
});

describe('a released reason', () => {
  const of = (released: HeldReason, next = draft()) =>
    stillReleased({ ...caseOf({ released, draft: next }), row: stored() });
  it.each<[string, HeldReason, ReturnType<typeof draft>, HeldReason | null]>([
    ['protected ends when the user is active', 'protected', draft(), null],
    ['protected stays while the user is inactive', 'protected', draft({ active: false }), 'protected'],
    ['no_email ends when an address arrives', 'no_email', draft(), null],
    ['external_id_taken stays with the same key', 'external_id_taken', draft(), 'external_id_taken'],
    ['external_id_taken ends with another key', 'external_id_taken', { ...draft(), doc: { ...draft().doc, externalId: 'e-2' } }, null],
    ['no_seat stays', 'no_seat', draft(), 'no_seat'],
  ])('%s', (_, released, next, expected) => {
    expect(of(released, next)).toBe(expected);
  }); // prettier-ignore
});
