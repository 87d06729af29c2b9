import { discoveryUrl, issuerOf, readDiscoveryDocument } from '../../../src/protocols/oidc/discovery.rules.js';

const ISSUER = 'https://idp.example.com';
const document = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
};
const read = (change: object, problemOf: (url: string) => string | null = () => null) =>
  readDiscoveryDocument({ ...document, ...change }, ISSUER, false, problemOf);

it.each([
  [ISSUER, ISSUER],
  [`${ISSUER}/`, `${ISSUER}/`],
  [`${ISSUER}/.well-known/openid-configuration`, ISSUER],
  [`${ISSUER}/t/v2.0/.well-known/openid-configuration/`, `${ISSUER}/t/v2.0`],
  [`${ISSUER}/.well-known/openid-configuration?x=1`, `${ISSUER}/.well-known/openid-configuration?x=1`],
])('reads %s as the issuer %s', (text, issuer) => {
  expect(issuerOf(text)).toBe(issuer);
});

it.each([
  [ISSUER, `${ISSUER}/.well-known/openid-configuration`],
  [`${ISSUER}/`, `${ISSUER}/.well-known/openid-configuration`],
  [`${ISSUER}/tenant/v2.0`, `${ISSUER}/tenant/v2.0/.well-known/openid-configuration`],
])('finds the metadata of %s', (issuer, url) => {
  expect(discoveryUrl(issuer)).toBe(url);
});

it('reads the endpoints, and null for those that are not announced', () => {
  expect(read({ backchannel_logout_supported: true, userinfo_endpoint: '' })).toEqual({
    issuer: ISSUER,
    authorizationEndpoint: `${ISSUER}/authorize`,
    tokenEndpoint: `${ISSUER}/token`,
    jwksUri: `${ISSUER}/jwks`,
    userInfoEndpoint: null,
    endSessionEndpoint: null,
    idTokenAlgs: null,
    tokenAuthMethods: null,
    promisesIss: false,
    logout: { backChannel: true, frontChannel: false, frontChannelSession: false },
  });
});

it.each<[string, object, string]>([
  ['another issuer', { issuer: 'https://evil.example' }, 'issuer_mismatch'],
  ['an issuer with a further slash', { issuer: `${ISSUER}/` }, 'issuer_mismatch'],
  ['no issuer', { issuer: null }, 'issuer_mismatch'],
  ['no token endpoint', { token_endpoint: null }, 'idp_answer_invalid'],
  ['a script as an endpoint', { authorization_endpoint: 'javascript:alert(1)' }, 'idp_answer_invalid'],
  ['http', { end_session_endpoint: 'http://idp.example.com/logout' }, 'idp_answer_invalid'],
])('refuses %s', (_what, change, reason) => {
  expect(() => read(change)).toThrow(expect.objectContaining({ reason }));
});

it('refuses an address that the service must not call, and not one for browsers alone', () => {
  const problemOf = (url: string) => (url.includes('10.0.0.1') ? 'is private' : null);
  expect(() => read({ jwks_uri: 'https://10.0.0.1/jwks' }, problemOf)).toThrow('jwks_uri is private');
  const endSessionEndpoint = 'https://10.0.0.1/logout';
  expect(read({ end_session_endpoint: endSessionEndpoint }, problemOf)).toMatchObject({ endSessionEndpoint });
});
