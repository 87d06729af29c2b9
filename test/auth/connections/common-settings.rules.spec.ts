import type { FieldError } from '../../../src/base/errors/domain-error.js';
import { chosen, commonAfter, foreignFields } from '../../../src/auth/connections/common-settings.rules.js';
import type { CommonSettings } from '../../../src/auth/connections/connection.settings.js';

const allowance = { allowPrivate: false };
const before: CommonSettings = {
  link_claim: 'oid',
  claim_map: { email: 'mail', role: 'groups' },
  role_map: [['a', 'Admin']],
  email_trust: 'verified',
  jit: true,
  default_role: 'Viewer',
  return_origins: ['https://app.example.com'],
};
function after(
  known: CommonSettings | null,
  input: object,
  paired = false,
): { settings: CommonSettings; errors: FieldError[] } {
  const errors: FieldError[] = [];
  return { settings: commonAfter(known, input, paired, allowance, errors), errors };
}

it.each<[unknown, unknown, unknown]>([
  ['sent', 'before', 'sent'],
  [undefined, 'before', 'before'],
  [undefined, undefined, 'default'],
  [null, 'before', null],
])('chooses from sent %j and before %j: %j', (sent, known, expected) => {
  expect(chosen(sent, known, 'default')).toBe(expected);
});

it('gives a new connection its defaults', () => {
  expect(after(null, {})).toEqual({
    settings: { link_claim: null, claim_map: {}, role_map: [], jit: false, default_role: 'User', return_origins: [] },
    errors: [],
  });
});

it('keeps settings that are not sent', () => {
  expect(after(before, {}).settings).toEqual(before);
});

it.each<[string, object, object]>([
  ['removes a claim by null and keeps the others', { claim_map: { email: null } }, { claim_map: { role: 'groups' } }],
  ['replaces the role map as a whole', { role_map: { b: 'User' } }, { role_map: [['b', 'User']] }],
  ['sets the link claim to null', { link_claim: null }, { link_claim: null }],
])('%s', (_what, input, expected) => {
  expect(after(before, input).settings).toMatchObject(expected);
});

it('leaves the usual trust out of the settings', () => {
  expect(after(before, { email_trust: 'domain' }).settings).not.toHaveProperty('email_trust');
});

it.each<[string, object, boolean, string]>([
  ['creation of users while paired', {}, true, 'jit'],
  ['a return origin with a path', { return_origins: ['https://app.example.com/x'] }, false, 'return_origins'],
  ['a return origin by http', { return_origins: ['http://app.example.com'] }, false, 'return_origins'],
])('refuses %s', (_what, input, paired, field) => {
  expect(after(before, input, paired).errors.map((one) => one.field)).toEqual([field]);
});

it('names the fields of the other type', () => {
  const input = { issuer: 'x', sso_url: 'y' };
  expect(foreignFields('oidc', input).map(({ field }) => field)).toEqual(['sso_url']);
  expect(foreignFields('saml', input).map(({ field }) => field)).toEqual(['issuer']);
});
