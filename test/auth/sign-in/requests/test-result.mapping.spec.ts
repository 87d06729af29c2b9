import type { VerifiedSignIn } from '../../../../src/auth/sign-in/accounts/verified-sign-in.js';
import { failedTest, workingTest } from '../../../../src/auth/sign-in/requests/test-result.mapping.js';
import { newConnection } from '../../../protocols/oidc/support/party.js';

const connection = newConnection('https://idp.example.com');
const verified = (claims: Record<string, unknown>, more: Partial<VerifiedSignIn> = {}): VerifiedSignIn => ({
  subject: 'ada-1815',
  claims,
  issuedAt: new Date(0),
  authenticatedAt: null,
  sessionEnds: null,
  idpSession: null,
  authContext: null,
  idToken: null,
  nameId: null,
  once: null,
  ...more,
});

it('shows the fields in use and all claims', () => {
  const result = workingTest(connection, verified({ email: 'a@e.com', groups: ['x'] }), 'This would sign in.');
  expect(result).toMatchObject({ connection: 'Acme', outcome: 'This would sign in.', accepted: true });
  expect(result.claims).toEqual([
    ['email', 'a@e.com'],
    ['groups', '["x"]'],
  ]);
  expect(Object.fromEntries(result.fields)).toMatchObject({
    subject: 'ada-1815',
    'e-mail': 'a@e.com',
    'first name': '–',
  });
});

it('marks an unverified e-mail, and lists attributes that were left out', () => {
  const more = { leftOut: ['photo: too long'], userInfoProblem: 'no answer' };
  const { fields } = workingTest(connection, verified({ email: 'a@e.com', email_verified: false }, more), '');
  expect(Object.fromEntries(fields)).toMatchObject({
    'e-mail': 'a@e.com (the IdP calls it unverified)',
    'left out': 'photo: too long',
    UserInfo: 'no answer',
  });
});

it('cuts long values and many claims', () => {
  const claims = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`c${i}`, 'x'.repeat(600)]));
  const shown = workingTest(connection, verified(claims), '').claims;
  expect([shown.length, shown[0]![1].length]).toEqual([200, 501]);
});

it.each([
  [true, /users can sign in through it/],
  [false, /connection enable acme/],
])('names the next step of a working connection (enabled: %s)', (enabled, next) => {
  expect(workingTest({ ...connection, enabled }, verified({}), '').next).toMatch(next);
});

it.each([
  ['signature_invalid', /certificate/],
  ['audience_mismatch', /addresses/],
  ['email_outside_domains', /domain add/],
  ['unknown_account', /externalId/],
  ['bound_to_another', /forget-subjects acme --dry-run/],
  ['assertion_expired', /clocks/],
  ['no_seat', /connection test acme/],
] as const)('names the next step after %s', (reason, next) => {
  const result = failedTest(connection, { reason, outcome: 'refused' }, null);
  expect(result).toMatchObject({ accepted: false, claims: [], fields: [], next: expect.stringMatching(next) });
});
