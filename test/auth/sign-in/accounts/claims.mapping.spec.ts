import { claimedAccount } from '../../../../src/auth/sign-in/accounts/claims.mapping.js';
import type { Connection, SamlConnection } from '../../../../src/auth/connections/connection.js';
import type { VerifiedSignIn } from '../../../../src/auth/sign-in/strategies/verified-sign-in.js';
import { newConnection } from '../../../protocols/oidc/support/party.js';
import { samlIdp, type SamlIdp } from '../../../protocols/saml/support/idp.js';

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
