import {
  discardedRoleAfter,
  givenRoles,
  writtenIn,
} from '../../../../src/directory-sync/users/write/requested-state.rules.js';
import type { WriteCase } from '../../../../src/directory-sync/users/write/write-case.js';
import type { WritingDirectory } from '../../../../src/directory-sync/users/write/write-context.js';
import { byRules, caseOf, DIRECTORY, draft, stored, TENANT } from './support.js';

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
