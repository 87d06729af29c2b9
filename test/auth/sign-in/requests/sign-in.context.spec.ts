import type { OidcSignIn } from '../../../../src/protocols/oidc/oidc-settings.js';
import type { SamlSignIn } from '../../../../src/protocols/saml/saml-settings.js';
import { fromOidc, fromSaml } from '../../../../src/auth/sign-in/accounts/verified-sign-in.js';

const shared = {
  subject: 'ada-1815',
  claims: { mail: 'ada@example.com' },
  signature: 'the assertion',
  issuedAt: new Date('2026-01-05T10:00:00Z'),
  authenticatedAt: null,
  sessionEnds: null,
  idpSession: 'session-1',
  authContext: null,
};

it('adds the fields of SAML as null to an OpenID sign-in', () => {
  const signIn: OidcSignIn = { ...shared, userInfoProblem: null, idToken: 'a.b.c' };
  expect(fromOidc(signIn)).toEqual({ ...signIn, nameId: null, once: null });
});

it('adds the fields of OpenID as null to a SAML sign-in', () => {
  const signIn: SamlSignIn = {
    ...shared,
    unsureNames: new Set(),
    leftOut: [],
    nameId: { value: 'ada-1815', format: null, nameQualifier: null, spNameQualifier: null },
    once: { id: 'https://idp.example.com _a1', until: new Date('2026-01-05T10:10:00Z') },
  };
  expect(fromSaml(signIn)).toEqual({ ...signIn, idToken: null });
});
