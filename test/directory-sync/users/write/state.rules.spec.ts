import type { AttributeMap } from '../../../../src/directory-sync/directories/directory.js';
import { draftOf, type UserDocument } from '../../../../src/directory-sync/users/user.mapping.js';
import type { UserRow } from '../../../../src/directory-sync/users/user.row.js';
import {
  discardedRoleAfter,
  givenRoles,
  writtenIn,
  asksSeat,
  decide,
  removalHeld,
  stillReleased,
  discarded,
  type GivenRoles,
} from '../../../../src/directory-sync/users/write/state.rules.js';
import {
  type WriteCase,
  type WritingDirectory,
  NO_CONFLICTS,
} from '../../../../src/directory-sync/users/write/write-case.js';
import type { HeldReason } from '../../../../src/tenancy/identity/person.js';
import { byRules, caseOf, DIRECTORY, draft, stored, TENANT } from './support.js';

describe('requested state', () => {
  describe('the roles of a user', () => {
    it.each([
    ['the default of the directory', caseOf(), { byResource: null, byRules: 'User' }],
    ['a rule before the default', caseOf({ fromRules: byRules('Guest') }), { byResource: null, byRules: 'Guest' }],
    ['a role of the resource', caseOf({ draft: { ...draft(), roles: ['Guest'] } }), { byResource: 'Guest', byRules: 'User' }],
    ['a role set by the users API', caseOf({ roleSet: 'Guest' }), { byResource: null, byRules: 'Guest' }],
    ['no directory: SCIM roles do not count', caseOf({ draft: { ...draft(), roles: ['Guest'] } }, null), { byResource: null, byRules: 'User' }],
  ])('come from %s', (_, about, expected) => {
    expect(givenRoles(about)).toEqual(expected);
  }); // prettier-ignore
  });

  describe('the key towards the platform', () => {
    const unkeyed = { ...draft(), key: null };
    it('is that of the draft', () => {
      expect(writtenIn(caseOf()).person.external_id).toBe('e-1');
    });
    it('stays when the directory only leaves it out', () => {
      expect(writtenIn(caseOf({ row: stored(), draft: unkeyed })).person.external_id).toBe('e-1');
    });
    it('is the userName when there never was one', () => {
      expect(writtenIn(caseOf({ draft: unkeyed })).person.external_id).toBe('ada@example.com');
    });
    it('follows the userName while the userName is its substitute', () => {
      const row = stored(caseOf(), { person_external_id: 'ada@example.com' });
      const renamed = { ...unkeyed, userName: 'countess@example.com' };
      expect(writtenIn(caseOf({ row, draft: renamed })).person.external_id).toBe('countess@example.com');
    });
  });

  describe('the role while another one waits for a seat', () => {
    const roles = new Map([...TENANT.roles, ['Auditor', { takesSeat: false, console: 'auditor' as const }]]);
    const tenant = { ...TENANT, roles };
    const asked = { ...draft(), roles: ['User', 'Auditor', 'Guest'] };
    it.each<[string, Partial<WriteCase>, WritingDirectory | null, string | null]>([
      ['the first of `roles` that takes none', { draft: asked }, { ...DIRECTORY, mayGrantConsole: true }, 'Auditor'],
      ['none that administers without leave', { draft: asked }, DIRECTORY, 'Guest'],
      ['one of the rules', { fromRules: byRules('User', 'Auditor') }, DIRECTORY, 'Auditor'],
      ['the default', {}, { ...DIRECTORY, defaultRole: 'Guest' }, 'Guest'],
      ['none of the users API', { roleSet: 'User' }, null, null],
    ])('is %s', (_, more, directory, expected) => {
      expect(writtenIn(caseOf({ tenant, ...more }, directory)).seatlessRole).toBe(expected);
    });
  });

  describe('a discarded role', () => {
    const row = stored(caseOf(), { discarded_role: 'User', role: 'Guest' });
    const about = { ...caseOf(), row };
    it('leaves the user with its role', () => {
      expect(writtenIn(about).person.role).toBe('Guest');
      expect(discardedRoleAfter(about, { kind: 'change', draft: draft() })).toBe('User');
    });
    it('ends when rules or default give another role', () => {
      const other = { ...about, fromRules: byRules('Guest') };
      expect(discardedRoleAfter(other, { kind: 'change', draft: draft() })).toBeNull();
    });
    it('ends when the resource gives a role', () => {
      const given = { ...about, draft: { ...draft(), roles: ['User'] } };
      expect(discardedRoleAfter(given, { kind: 'change', draft: draft() })).toBeNull();
    });
    it('is set by a discard', () => {
      const edit = { kind: 'discard', draft: draft(), discardedRole: 'Guest', released: null } as const;
      expect(discardedRoleAfter(about, edit)).toBe('Guest');
    });
  });
});

describe('effective state', () => {
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
});

describe('discard', () => {
  const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
  const IN_FORCE = {
    email: 'old@x.example',
    first_name: 'Old',
    last_name: 'Name',
    role: 'User',
    person_external_id: 'OLD',
    status: 'active',
    cost_center: null,
    known_as: null,
  } as const;
  const row = (doc: UserDocument, more: Partial<UserRow> = {}): UserRow =>
    ({ ...IN_FORCE, user_name: 'ann', doc: JSON.stringify({ userName: 'ann', ...doc }), ...more }) as UserRow;
  const SAME: GivenRoles = { byResource: null, byRules: 'User' };
  const NAME = { givenName: 'Old', familyName: 'Name' };
  const MAIL = [{ value: 'old@x.example', type: 'work', primary: true }];

  type Row = [string, UserDocument, Partial<UserRow>, AttributeMap, GivenRoles];
  const rows: Row[] = [
  ['nothing but `active`', { active: false, externalId: 'OLD', name: NAME, emails: MAIL }, {}, {}, SAME],
  ['another e-mail', { externalId: 'OLD', name: NAME, emails: [{ value: 'new@x.example' }, { value: 'b@x.example' }] }, {}, {}, SAME],
  ['an e-mail where there was none', { externalId: 'OLD', name: NAME, emails: MAIL }, { email: null }, {}, SAME],
  ['no e-mail where there was one', { externalId: 'OLD', name: NAME }, {}, {}, SAME],
  ['other names', { externalId: 'OLD', name: { formatted: 'New Person' }, emails: MAIL }, {}, {}, SAME],
  ['another key', { externalId: 'NEW', name: NAME, emails: MAIL }, {}, {}, SAME],
  ['a key in place of the userName', { externalId: 'NEW', name: NAME, emails: MAIL }, { person_external_id: 'ann' }, {}, SAME],
  ['a leaver who comes back', { active: true, externalId: 'OLD', name: NAME, emails: MAIL }, { status: 'inactive' }, {}, SAME],
  ['mapped attributes', { externalId: 'S', nickName: 'New', name: NAME, emails: MAIL, [ENTERPRISE]: { employeeNumber: '7' } }, {}, { external_id: 'employeeNumber', first_name: 'nickName' }, SAME],
  ['a mapped name of `name`', { externalId: 'OLD', name: { givenName: 'New', formatted: 'F' }, emails: MAIL, displayName: 'D' }, {}, { first_name: 'name.givenName', last_name: 'displayName' }, SAME],
]; // prettier-ignore

  it.each(rows)('%s: the resource has the effective state', (_, doc, more, map, given) => {
    const user = row(doc, more);
    const { doc: next, discardedRole } = discarded(user, map, given);
    const draft = draftOf(next, map);
    expect(discardedRole).toBeNull();
    expect({
      email: draft.email,
      first_name: draft.firstName,
      last_name: draft.lastName,
      external_id: draft.key ?? user.person_external_id,
      status: draft.active ? 'active' : 'inactive',
      userName: draft.userName,
    }).toEqual({
      email: user.email,
      first_name: user.first_name,
      last_name: user.last_name,
      external_id: user.person_external_id,
      status: user.status,
      userName: 'ann',
    });
  });

  it('takes the effective cost centre', () => {
    const doc = { externalId: 'OLD', name: NAME, emails: MAIL, [ENTERPRISE]: { costCenter: 'new', department: 'D' } };
    expect(discarded(row(doc, { cost_center: 'old' }), {}, SAME).doc[ENTERPRISE]).toEqual({
      costCenter: 'old',
      department: 'D',
    });
  });

  it('keeps equal values letter for letter', () => {
    const doc = { externalId: 'OLD', name: { ...NAME, formatted: 'F' }, emails: MAIL, title: 'T', nickName: 'N' };
    expect(discarded(row(doc), {}, SAME).doc).toEqual({ userName: 'ann', ...doc, active: true });
  });

  it('keeps key and e-mail when another userName replaces them', () => {
    const user = row({ userName: 'ann@x.example', active: true }, {
    user_name: 'ann@x.example',
    email: 'ann@x.example',
    person_external_id: 'ann@x.example',
  }); // prettier-ignore
    const { doc } = discarded(user, {}, SAME, 'ann@x.example#1');
    expect(doc).toMatchObject({
      userName: 'ann@x.example#1',
      externalId: 'ann@x.example',
      emails: [{ value: 'ann@x.example' }],
    });
  });

  describe('the role', () => {
    const base = { externalId: 'OLD', name: NAME, emails: MAIL };
    const roles = [{ value: 'Admin', primary: true }];
    it.each<[string, UserDocument, string | null, GivenRoles, unknown, string | null]>([
    ['of the rules', base, 'User', { byResource: null, byRules: 'Admin' }, undefined, 'Admin'],
    ['that the rules take away', base, 'User', { byResource: null, byRules: null }, undefined, ''],
    ['of the resource', { ...base, roles }, 'Observer', { byResource: 'Admin', byRules: 'User' }, [{ value: 'Observer', primary: true }], null],
    ['of the resource over that of the rules', { ...base, roles }, 'User', { byResource: 'Admin', byRules: 'User' }, undefined, null],
    ['where there was none', { ...base, roles }, null, { byResource: 'Admin', byRules: 'User' }, undefined, 'User'],
    ['as in force', { ...base, roles }, 'Admin', { byResource: 'Admin', byRules: 'User' }, roles, null],
  ])('%s', (_, doc, role, given, expected, left) => {
    const { doc: next, discardedRole } = discarded(row(doc, { role }), {}, given);
    expect([next['roles'], discardedRole]).toEqual([expected, left]);
  }); // prettier-ignore
  });

  it('gives back the names in force where the written ones were held', () => {
    const known = {
      user_name: 'eve',
      user_name_key: 'eve',
      external_id: 'S',
      email: 'old@x.example',
      key: 'OLD',
      role: 'User',
    };
    const held = row({ externalId: 'T', [ENTERPRISE]: { employeeNumber: 'OLD' } }, { known_as: known });
    expect(discarded(held, { external_id: 'employeeNumber' }, SAME).doc).toMatchObject({
      userName: 'eve',
      externalId: 'S',
    });
  });
});
