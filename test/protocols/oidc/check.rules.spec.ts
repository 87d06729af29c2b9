import { problemOfSetup } from '../../../src/protocols/oidc/check.rules.js';
import type { OidcServer } from '../../../src/protocols/oidc/discovery.rules.js';
import type { IdpKey } from '../../../src/protocols/oidc/jwks.rules.js';
import { newConnection } from './support/party.js';

const server: OidcServer = {
  issuer: 'https://idp.example.com',
  authorizationEndpoint: 'https://idp.example.com/a',
  tokenEndpoint: 'https://idp.example.com/t',
  jwksUri: 'https://idp.example.com/j',
  userInfoEndpoint: null,
  endSessionEndpoint: null,
  idTokenAlgs: ['RS256'],
  tokenAuthMethods: null,
  promisesIss: false,
  logout: { backChannel: false, frontChannel: false, frontChannelSession: false },
};
const RSA: IdpKey = { kid: null, algs: ['RS256', 'PS256'], jwk: { kty: 'RSA' } };

it.each<[string, object, object, readonly IdpKey[], RegExp | null]>([
  ['nothing against it', {}, {}, [RSA], null],
  ['nothing that the IdP does not announce', {}, { idTokenAlgs: null }, [RSA], null],
  [
    'a pinned algorithm that is not announced',
    { idTokenAlg: 'ES256' },
    {},
    [RSA],
    /does not announce ID tokens with ES256/,
  ],
  ['no accepted algorithm', {}, { idTokenAlgs: ['HS256'] }, [RSA], /only with HS256/],
  ['no key of the algorithm', {}, {}, [], /no key for signatures with RS256/],
  ['another client authentication', {}, { tokenAuthMethods: ['private_key_jwt'] }, [RSA], /client_secret_basic/],
  ['required claims without UserInfo', { userInfo: 'required' }, {}, [RSA], /no UserInfo endpoint/],
])('finds %s', (_what, settings, announced, keys, problem) => {
  const found = problemOfSetup(newConnection(server.issuer, settings), { ...server, ...announced }, keys);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toMatch(problem);
});
