import {
  isAnother,
  isComparable,
  isUnprovenBinding,
  provenBinding,
  renewed,
  roleByMap,
  type Candidate,
  sameLetters,
} from '../../../../src/auth/sign-in/accounts/account.rules.js';
import type { ClaimedAccount, RoleClaim } from '../../../../src/auth/sign-in/accounts/claims.mapping.js';
import type { Binding } from '../../../../src/tenancy/sessions/session.js';

describe('account', () => {
  // The decision itself is tested by the cases of resolve-identity.rules.spec.ts.

  const user = (more: Partial<Candidate> = {}): Candidate => ({
    id: 'ada',
    directory_id: 'dir_1',
    source: 'scim',
    status: 'active',
    seat: 'held',
    held: null,
    external_id: 'id-1',
    user_name: 'ada',
    email: 'ada@acme.example',
    gone: false,
    leaving: false,
    session_epoch: 1,
    ...more,
  });
  const binding = (more: Partial<Binding> = {}): Binding => ({
    subject: 'sub-1',
    user_id: 'ada',
    made_by: 'email',
    made_of: 'ada@acme.example',
    ...more,
  });
  const account = (link: string | null): ClaimedAccount => ({ link }) as ClaimedAccount;

  it('knows an unproven binding', () => {
    expect(isUnprovenBinding(binding({ made_by: 'created', made_of: '' }))).toBe(true);
    expect(isUnprovenBinding(binding({ made_by: 'created', made_of: 'sub-1' }))).toBe(false);
    expect(isUnprovenBinding(binding({ made_of: '' }))).toBe(false);
  });

  it.each<[string, Partial<Binding>, string | null, string]>([
    ['the sent id that the directory has', { made_by: 'claim', made_of: 'old' }, 'id-1', 'id-1'],
    ['the former id when another one is sent', { made_by: 'claim', made_of: 'old' }, 'id-2', 'old'],
    ['the user name of the directory', { made_by: 'user_name', made_of: 'ada.old' }, null, 'ada'],
    ['the e-mail of the directory', { made_of: 'old@acme.example' }, null, 'ada@acme.example'],
    ['the name that is the subject', { made_by: 'user_name', made_of: 'ada.old', subject: 'ada.old' }, null, 'ada.old'],
    ['the subject of a created user', { made_by: 'created', made_of: 'sub-1' }, null, 'sub-1'],
  ])('renews a binding with %s', (_what, more, link, made_of) => {
    expect(renewed(binding(more), user(), account(link)).made_of).toBe(made_of);
  });

  it.each([
    ['by the e-mail when it is the subject and may be reused', 'ada@acme.example', false, 'email'],
    ['by the creation when the subject is stable', 'ada@acme.example', true, 'created'],
    ['by the creation when the subject is another text', 'sub-1', false, 'created'],
  ])('proves a binding %s', (_what, subject, subjectIsStable, made_by) => {
    expect(provenBinding({ subject, subjectIsStable }, 'ada@acme.example')).toEqual({ made_by, made_of: subject });
  });

  const OID = '0b8f1f7a-0000-4000-8000-00000000000';

  it.each([
    ['no id was sent', null, 'id-1', true, false],
    ['the directory has none', 'id-1', null, true, false],
    ['the claim is named', 'id-1', 'id-2', true, true],
    ['the claim is not named', 'id-1', 'id-2', false, false],
    ['both are object ids', `${OID}1`, `${OID}2`, false, true],
    ['one is an object id', `${OID}1`, 'id-2', false, false],
  ])('compares ids when %s', (_what, link, external_id, claimIsNamed, expected) => {
    expect(isComparable(user({ external_id }), account(link), claimIsNamed)).toBe(expected);
  });

  it.each<[string, Partial<Candidate>, boolean]>([
    ['nothing', {}, false],
    ['the status', { status: 'inactive', session_epoch: 2 }, false],
    ['the e-mail', { email: null }, true],
    ['the user name', { user_name: 'eve' }, true],
    ['the key', { external_id: 'id-2' }, true],
    ['the directory', { directory_id: 'dir_2' }, true],
    ['the membership', { gone: true }, true],
  ])('decides whether %s changes the evidence', (_what, change, expected) => {
    expect(isAnother(user(), user(change))).toBe(expected);
  });

  const map = {
    roleMap: [
      ['admins', 'Admin'],
      ['all', 'Viewer'],
      ['x', 'Gone'],
    ],
    defaultRole: 'User',
  } as const;

  const values = (...some: string[]): RoleClaim => ({ kind: 'values', values: some });

  it.each<[string, RoleClaim, string | null]>([
    ['the first mapped value', values('all', 'admins'), 'Admin'],
    ['the default without a mapped value', values('other'), 'User'],
    ['the default for an empty claim', values(), 'User'],
    ['the default for a role that is not in the catalogue', values('x'), 'User'],
    ['no role when the IdP has left values out', { kind: 'left_out', why: '' }, null],
  ])('gives the role: %s', (_what, claim, role) => {
    expect(roleByMap(claim, map, new Set(['Admin', 'Viewer', 'User']))?.role ?? null).toBe(role);
  });

  it('names the mapped value or the default that gives the role', () => {
    const known = new Set(['Admin', 'Viewer', 'User']);
    expect(roleByMap(values('all'), map, known)?.origin).toEqual({ by: 'role_map', value: 'all' });
    expect(roleByMap(values('other'), map, known)?.origin).toEqual({ by: 'default' });
  });

  it('gives no role without a map', () => {
    expect(roleByMap(values('all'), { roleMap: [], defaultRole: 'User' }, new Set(['User']))).toBeNull();
  });
});

describe('letters', () => {
  it.each([
    ['Ada', 'aDA', true],
    ['ada', 'ada ', false],
    ['Ä', 'ä', true],
    ['Zoe\u0308', 'ZO\u00cb', true],
    ['\u0130a', 'ia', false],
    ['\u212b', '\u00e5', false],
    ['K', '\u212a', false],
  ])('compares %j and %j: %s', (a, b, expected) => {
    expect(sameLetters(a, b)).toBe(expected);
  });
});
