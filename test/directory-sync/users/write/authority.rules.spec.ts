import { Taken } from '../../../../src/directory-sync/users/users.errors.js';
import type { ConflictingUserRow } from '../../../../src/directory-sync/users/users.repository.js';
import { isBeyond, keptPart, rightOf, matchOf } from '../../../../src/directory-sync/users/write/authority.rules.js';
import type { WritingDirectory } from '../../../../src/directory-sync/users/write/write-case.js';
import { caseOf, DIRECTORY, draft, stored, TENANT } from './support.js';

describe('authority', () => {
  const tenant = { ...TENANT, protectedUserIds: new Set(['usr_owner']) };
  const user = (role: string | null, set: string | null = null, id = 'usr_1') => ({ id, role, role_set: set });

  it.each([
    ['a plain role', user('User'), 'none'],
    ['the role of admins', user('Admin'), 'admin'],
    ['a role that is set and waits', user('User', 'Admin'), 'admin'],
    ['the owner without a role', user(null, null, 'usr_owner'), 'admin'],
  ])('a user with %s', (_, row, right) => {
    expect(rightOf(tenant, row)).toBe(right);
  });

  it.each([
    ['without leave', {}, true],
    ['with may_grant_console', { mayGrantConsole: true }, false],
    ['with a rule for the role', { ruleRoles: ['User', 'Admin'] }, false],
    ['with a rule for a plain role', { ruleRoles: ['User'] }, true],
  ])('an admin is beyond a directory %s: %s', (_, leave, expected) => {
    expect(isBeyond(tenant, user('Admin'), { ...DIRECTORY, ...leave })).toBe(expected);
  });

  it('keeps the e-mail of an administrator, and lets the name take effect', () => {
    const row = stored(caseOf(), { role: 'Admin' });
    const written = draft({ email: 'other@example.com', first_name: 'Augusta' });
    const part = keptPart({ ...caseOf({ draft: written }), row }, { kind: 'change', draft: written });
    expect(part?.fields).toContain('emails');
    expect(part?.rest).toMatchObject({ email: 'ada@example.com', firstName: 'Augusta' });
    const released = { kind: 'change', draft: written, trigger: { kind: 'released' } } as const;
    expect(keptPart({ ...caseOf({ draft: written }), row }, released)).toBeNull();
  });
});

describe('link', () => {
  const DIRECTORY = { id: 'dir', takesOver: 'old', superseded: false, onMatch: 'link' } as WritingDirectory;
  const holder = (more: Partial<ConflictingUserRow>): ConflictingUserRow => ({
    id: 'usr',
    directory_id: null,
    status: 'active',
    gone: false,
    name_written: false,
    yields: false,
    same_name: false,
    same_email: false,
    same_key: false,
    same_external_id: false,
    leaving: false,
    ...more,
  });
  const LEAVER = { status: 'inactive' } as const;

  type Row = [string, Partial<ConflictingUserRow>[], boolean, [string, string] | null];
  const rows: Row[] = [
  ['no user at all', [], false, null],
  ['an unmanaged user by the substitute name', [{ same_name: true }], false, ['usr', 'email']],
  ['a leaver by the substitute name', [{ ...LEAVER, same_name: true, same_email: true }], false, null],
  ['the same by a write that leaves it out', [{ ...LEAVER, same_name: true }], true, ['usr', 'email']],
  ['a leaver by a name of a directory', [{ ...LEAVER, same_name: true, name_written: true }], false, ['usr', 'user_name']],
  ['a leaver by key', [{ ...LEAVER, same_key: true, same_email: true }], false, ['usr', 'external_id']],
  ['a leaver of the old directory by e-mail', [{ ...LEAVER, directory_id: 'old', same_email: true }], false, null],
  ['a user of the old directory', [{ directory_id: 'old', same_email: true }], false, ['usr', 'email']],
  ['a user of another directory', [{ directory_id: 'other', same_name: true }], false, null],
  ['two users', [{ id: 'a', same_key: true }, { id: 'b', same_email: true }], false, null],
  ['two, one of the same name', [{ id: 'a', same_key: true }, { id: 'b', same_name: true }], false, ['b', 'email']],
  ['two, one of them a leaver', [{ id: 'a', ...LEAVER, same_name: true }, { id: 'b', same_email: true }], false, ['b', 'email']],
  ['a removed user of another directory', [{ gone: true, directory_id: 'old', same_name: true }], false, null],
  ['a removed user that is kept', [{ gone: true, directory_id: 'dir', same_name: true }], false, ['usr', 'user_name']],
  ['a removed user that is kept, by externalId', [{ gone: true, directory_id: 'dir', same_external_id: true }], false, ['usr', 'external_id']],
  ['a removed user that is kept, by e-mail alone', [{ gone: true, directory_id: 'dir', same_email: true, leaving: true }], false, null],
  ['a user of the old directory whose departure is held, by e-mail', [{ directory_id: 'old', same_email: true, leaving: true }], false, null],
  ['the same by a write that leaves it out', [{ directory_id: 'old', same_email: true, leaving: true }], true, null],
  ['the same by name', [{ directory_id: 'old', same_name: true, name_written: true, leaving: true }], false, ['usr', 'user_name']],
]; // prettier-ignore

  it.each(rows)('%s', (_, holders, leavesOut, expected) => {
    const match = matchOf(DIRECTORY, holders.map(holder), leavesOut);
    expect(match && [match.user.id, match.by]).toEqual(expected);
  });

  it('refuses a match, and only a match, when the directory is set to refuse', () => {
    const refusing = { ...DIRECTORY, onMatch: 'refuse' } as const;
    expect(() => matchOf(refusing, [holder({ same_email: true })], false)).toThrow(Taken);
    expect(matchOf(refusing, [holder({ ...LEAVER, same_email: true })], false)).toBeNull();
  });

  it('never links for a superseded directory, nor for another channel', () => {
    expect(matchOf({ ...DIRECTORY, superseded: true }, [holder({ same_name: true })], false)).toBeNull();
    expect(matchOf(null, [holder({ same_name: true })], false)).toBeNull();
  });
});
