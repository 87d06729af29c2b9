import type { Connection, SamlConnection } from '../../../../src/auth/connections/connection.js';
import { claimedAccount, roleClaim } from '../../../../src/auth/sign-in/accounts/claims.mapping.js';
import type { VerifiedSignIn } from '../../../../src/auth/sign-in/accounts/verified-sign-in.js';
import { newConnection } from '../../../protocols/oidc/support/party.js';
import { samlIdp, type SamlIdp } from '../../../protocols/saml/support/idp.js';

describe('claims', () => {
  // What is read from claims as IdPs send them with the IdP's default settings.
  const SOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
  const WS = 'http://schemas.microsoft.com/ws/2008/06/identity/claims';
  const MACE = 'urn:mace:dir:attribute-def';

  let idp: SamlIdp;
  beforeAll(async () => (idp = await samlIdp()));

  const verified = (claims: Record<string, unknown>, more: Partial<VerifiedSignIn> = {}): VerifiedSignIn => ({
    subject: 'x1',
    claims,
    issuedAt: new Date(),
    authenticatedAt: null,
    sessionEnds: null,
    idpSession: null,
    authContext: null,
    idToken: null,
    nameId: null,
    once: null,
    ...more,
  });
  const bySaml = (claims: Record<string, unknown>, changes: Partial<SamlConnection> = {}) =>
    claimedAccount(idp.connection(changes), verified(claims));
  const byOidc = (claims: Record<string, unknown>, claimMap: Connection['claimMap'] = {}) =>
    claimedAccount({ ...newConnection('https://idp.example.com'), claimMap }, verified(claims));

  it.each<[string, Record<string, unknown>]>([
    ['Okta', { email: 'a@e.com', firstName: 'Ada', lastName: 'L', login: 'ada@e.com', groups: ['g'] }],
    [
      'Entra',
      {
        [`${SOAP}/emailaddress`]: 'a@e.com',
        [`${SOAP}/givenname`]: 'Ada',
        [`${SOAP}/surname`]: 'L',
        [`${SOAP}/name`]: 'ada@e.com',
        [`${WS}/groups`]: ['g'],
      },
    ],
    [
      'ADFS',
      {
        'http://schemas.xmlsoap.org/claims/EmailAddress': 'a@e.com',
        [`${SOAP}/givenname`]: 'Ada',
        [`${SOAP}/surname`]: 'L',
        [`${SOAP}/upn`]: 'ada@e.com',
        'http://schemas.xmlsoap.org/claims/Group': ['g'],
      },
    ],
    ['Keycloak', { email: 'a@e.com', firstName: 'Ada', lastName: 'L', username: 'ada@e.com', Role: ['g'] }],
    ['Duo', { Email: 'a@e.com', FirstName: 'Ada', LastName: 'L', Username: 'ada@e.com', role: ['g'] }],
    ['JumpCloud', { email: 'a@e.com', firstname: 'Ada', lastname: 'L', username: 'ada@e.com', memberOf: ['g'] }],
    [
      'an old Shibboleth',
      {
        [`${MACE}:mail`]: 'a@e.com',
        [`${MACE}:givenName`]: 'Ada',
        [`${MACE}:sn`]: 'L',
        [`${MACE}:eduPersonPrincipalName`]: 'ada@e.com',
        memberOf: ['g'],
      },
    ],
  ])('the names of %s', (_name, claims) => {
    expect(bySaml(claims)).toMatchObject({
      email: 'a@e.com',
      firstName: 'Ada',
      lastName: 'L',
      userName: 'ada@e.com',
      role: { kind: 'values', values: ['g'] },
    });
  });

  it.each<[string, unknown, string | null]>([
    ['once', 'a@e.com', 'a@e.com'],
    ['in a list of one', ['a@e.com'], 'a@e.com'],
    ['twice the same', ['a@e.com', 'a@e.com'], 'a@e.com'],
    ['beside an empty one', ['', 'a@e.com', ' '], 'a@e.com'],
    ['beside another', ['a@e.com', 'b@e.com'], null],
    ['in another case beside it', ['a@e.com', 'A@e.com'], null],
    ['beside something else', ['a@e.com', null], null],
    ['nothing but blanks', ['', ' '], null],
  ])('an e-mail %s', (_name, email, expected) => {
    expect([bySaml({ email }).email, byOidc({ email }).email]).toEqual([expected, expected]);
  });

  it('the name of WS-Federation is a user name only where it is written like one', () => {
    const userName = (name: string) => bySaml({ [`${SOAP}/name`]: name }).userName;
    expect([userName('ada@e.com'), userName('ACME\\ada'), userName('Ada Lovelace')]).toEqual([
      'ada@e.com',
      'ACME\\ada',
      'x1',
    ]);
  });
});

describe('role claim', () => {
  const GROUPS = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups';
  const ROLE = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/role';
  const LINK = { 'http://schemas.microsoft.com/claims/groups.link': 'https://graph.example/me' };
  const OTHER_LINK = {
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups.link': 'https://graph.example/me',
  };

  /** Returns the values, or the kind of a claim without them. */
  function read(
    type: 'oidc' | 'saml',
    role: string | undefined,
    claims: object,
    userInfoProblem: string | null = null,
  ) {
    const claimMap = role === undefined ? {} : { role };
    const claim = roleClaim({ type, claimMap }, claims as Record<string, unknown>, userInfoProblem);
    return claim.kind === 'values' ? claim.values : claim.kind;
  }

  it.each<[string, string | undefined, object, readonly string[] | 'left_out']>([
    ['one text', 'groups', { groups: 'a' }, ['a']],
    ['a list', 'groups', { groups: ['a', 'b'] }, ['a', 'b']],
    ['a list with other types', 'groups', { groups: ['a', 5, null, '', ['b']] }, ['a']],
    ['the usual names, roles first', undefined, { roles: ['r'], groups: ['g'] }, ['r']],
    ['the usual names, without roles', undefined, { roles: [], groups: ['g'] }, ['g']],
    ['no claim', 'groups', {}, []],
    ['null', 'groups', { groups: null }, []],
    ['an empty list', 'groups', { groups: [] }, []],
    ['a number', 'groups', { groups: 5 }, []],
    ['an object', 'groups', { groups: { a: 'admins' } }, []],
    ['a distributed claim', 'groups', { _claim_names: { groups: 'src1' } }, 'left_out'],
    ['a distributed claim beside an empty one', 'groups', { groups: [], _claim_names: { groups: 'src1' } }, 'left_out'],
    ['a distributed claim of the usual names', undefined, { _claim_names: { groups: 'src1' } }, 'left_out'],
    ['a distributed claim beside values', 'groups', { groups: ['a'], _claim_names: { groups: 'src1' } }, ['a']],
    ['another distributed claim', 'roles', { _claim_names: { groups: 'src1' } }, []],
    ['a distributed claim that holds the path', 'realm.roles', { _claim_names: { realm: 'src1' } }, 'left_out'],
    ['claim names that are a text', 'groups', { _claim_names: 'groups' }, []],
    ['claim names that are a list', 'length', { _claim_names: ['groups'] }, []],
    ['hasgroups', 'groups', { hasgroups: true }, 'left_out'],
    ['hasgroups as a text', 'groups', { hasgroups: 'true' }, 'left_out'],
    ['hasgroups that is false', 'groups', { hasgroups: false }, []],
    ['hasgroups, for another claim', 'roles', { hasgroups: true }, []],
    ['the mark of SAML in OIDC', 'groups', LINK, []],
  ])('reads %s of an ID token', (_what, role, claims, expected) => {
    expect(read('oidc', role, claims)).toEqual(expected);
  });

  it.each<[string, string | undefined, object, readonly string[] | 'left_out']>([
    ['a value', GROUPS, { [GROUPS]: 'a' }, ['a']],
    ['no attribute', GROUPS, {}, []],
    ['a link in place of the groups', GROUPS, LINK, 'left_out'],
    ['the other link', GROUPS, OTHER_LINK, 'left_out'],
    ['a link in place of groups of another name', 'memberOf', LINK, 'left_out'],
    ['a link beside the usual names', undefined, LINK, 'left_out'],
    ['a link beside application roles', ROLE, LINK, []],
    ['a link without an address', GROUPS, { 'http://schemas.microsoft.com/claims/groups.link': '' }, []],
    ['the mark of OIDC in SAML', 'groups', { hasgroups: 'true', _claim_names: { groups: 'src1' } }, []],
  ])('reads %s of an assertion', (_what, role, claims, expected) => {
    expect(read('saml', role, claims)).toEqual(expected);
  });

  it.each<[string, object, readonly string[] | 'left_out']>([
    ['nothing', {}, 'left_out'],
    ['the claim', { groups: ['a'] }, ['a']],
    ['the claim without a value', { groups: [] }, []],
  ])('reads an ID token with %s when UserInfo is away', (_what, claims, expected) => {
    expect(read('oidc', 'groups', claims, 'no answer')).toEqual(expected);
  });

  it('finds a claim by its path when no claim has that name', () => {
    const keycloak = { realm_access: { roles: ['a', 'b'] }, resource_access: { 'my.app': { roles: ['c'] } } };
    const roles = (claims: object, role: string) => read('oidc', role, claims);
    expect(roles(keycloak, 'realm_access.roles')).toEqual(['a', 'b']);
    expect(roles({ 'https://e.com/roles': ['n'] }, 'https://e.com/roles')).toEqual(['n']);
    expect(roles({ ...keycloak, 'realm_access.roles': 'plain' }, 'realm_access.roles')).toEqual(['plain']);
    for (const path of [
      'realm_access',
      'realm_access.none',
      'realm_access.roles.0',
      'constructor.name',
      '__proto__.a',
    ]) {
      expect(roles(keycloak, path)).toEqual([]);
    }
    for (const claims of [{ a: null }, { a: { b: null } }]) expect(roles(claims, 'a.b')).toEqual([]);
  });
});
