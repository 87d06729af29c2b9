import type { CommonSettings } from '../../../src/auth/connections/connection.js';
import {
  chosen,
  commonAfter,
  foreignFields,
  browserAddressProblem,
  calledAddressProblem,
  issuerProblem,
  originProblem,
} from '../../../src/auth/connections/settings.rules.js';
import type { FieldError } from '../../../src/base/errors/domain-error.js';

describe('common settings', () => {
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
});

describe('address', () => {
  const ok = null;
  const bad = expect.any(String) as string;

  it.each<[string, boolean, string | null]>([
    ['https://idp.example.com/sso?x=1', false, ok],
    ['https://10.0.0.1/sso', false, ok],
    ['http://idp.example.com/sso', false, bad],
    ['http://idp.example.com/sso', true, ok],
    ['javascript:alert(1)', true, bad],
    ['/sso', true, bad],
    ['https://user@idp.example.com/', false, bad],
    ['https://idp.example.com/#a', false, bad],
    [`https://idp.example.com/${'a'.repeat(3000)}`, false, bad],
  ])('an address for browsers: %s (http permitted: %s)', (text, allowHttp, expected) => {
    expect(browserAddressProblem(text, allowHttp)).toEqual(expected);
  });

  it.each<[string, boolean, string | null]>([
    ['https://idp.example.com/metadata', false, ok],
    ['https://10.0.0.1/metadata', false, bad],
    ['https://10.0.0.1/metadata', true, ok],
    ['https://localhost/metadata', false, bad],
  ])('an address that this service calls: %s (private permitted: %s)', (text, allowPrivate, expected) => {
    expect(calledAddressProblem(text, allowPrivate)).toEqual(expected);
  });

  it.each<[string, string | null]>([
    ['https://idp.example.com/', ok],
    ['https://idp.example.com/?a', bad],
    ['idp.example.com', bad],
    ['https://login.microsoftonline.com/{tenantid}/v2.0', bad],
    ['https://idp.example.com/%7Btenant%7D', bad],
    ['https://login.microsoftonline.com/common/v2.0', bad],
    ['https://LOGIN.microsoftonline.com/organizations/v2.0', bad],
    ['https://login.microsoftonline.com/consumers/v2.0', bad],
    ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', ok],
    ['https://idp.example.com/common/v2.0', ok],
  ])('an issuer: %s', (text, expected) => {
    expect(issuerProblem(text, false)).toEqual(expected);
  });

  it.each<[string, boolean, string | null]>([
    ['https://app.example.com', false, ok],
    ['https://app.example.com/', false, bad],
    ['https://app.example.com/path', false, bad],
    ['http://localhost:3000', false, bad],
    ['http://localhost:3000', true, ok],
    ['custom://app', true, bad],
  ])('an origin: %s (http permitted: %s)', (text, allowHttp, expected) => {
    expect(originProblem(text, allowHttp)).toEqual(expected);
  });
});
