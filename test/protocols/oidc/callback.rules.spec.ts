import { checkAnswer, checkOnce, idpError, problemOfSetup } from '../../../src/protocols/oidc/callback.rules.js';
import type { OidcServer } from '../../../src/protocols/oidc/discovery.rules.js';
import type { IdpKey } from '../../../src/protocols/oidc/jwks.rules.js';
import { newConnection } from './support/party.js';

describe('callback', () => {
  const server = (promisesIss: boolean): OidcServer => ({
    issuer: 'https://idp.example.com',
    authorizationEndpoint: 'https://idp.example.com/a',
    tokenEndpoint: 'https://idp.example.com/t',
    jwksUri: 'https://idp.example.com/j',
    userInfoEndpoint: null,
    endSessionEndpoint: null,
    idTokenAlgs: null,
    tokenAuthMethods: null,
    promisesIss,
    logout: { backChannel: false, frontChannel: false, frontChannelSession: false },
  });
  const check = (query: string, promisesIss = false): string | null => {
    try {
      checkAnswer(new URLSearchParams(query), server(promisesIss), 'state-1');
      return null;
    } catch (error) {
      return (error as { reason: string }).reason;
    }
  };
  const ISS = encodeURIComponent('https://idp.example.com');

  it.each<[string, string, boolean, string | null]>([
    ['code and state', 'code=c&state=state-1', false, null],
    ['the issuer', `code=c&state=state-1&iss=${ISS}`, true, null],
    ['no issuer where it was announced', 'code=c&state=state-1', true, 'issuer_mismatch'],
    ['another issuer', 'code=c&state=state-1&iss=https%3A%2F%2Fevil.example', false, 'issuer_mismatch'],
    [
      'another issuer before an error',
      'error=x&state=state-1&iss=https%3A%2F%2Fevil.example',
      false,
      'issuer_mismatch',
    ],
    ['another state', 'code=c&state=state-2', false, 'state_unknown'],
    ['no state', 'code=c', false, 'state_unknown'],
    ['an error', 'error=access_denied&state=state-1', false, 'idp_error'],
    ['no code', 'state=state-1', false, 'idp_answer_invalid'],
    ['an empty code', 'code=&state=state-1', false, 'idp_answer_invalid'],
    ['a code of more than 8 KiB', `code=${'c'.repeat(8193)}&state=state-1`, false, 'idp_answer_invalid'],
  ])('checks a callback with %s', (_what, query, promisesIss, reason) => {
    expect(check(query, promisesIss)).toBe(reason);
  });

  it('refuses a repeated parameter', () => {
    expect(() => checkOnce(new URLSearchParams('state=a&code=b'))).not.toThrow();
    expect(() => checkOnce(new URLSearchParams('state=a&state=a'))).toThrow('state more than once');
  });

  it.each<[string, string, unknown, string]>([
    [
      'the code and its description',
      'access_denied',
      'User said no',
      'The IdP answers with access_denied: User said no',
    ],
    ['no mark-up', 'x', '<b>bold</b>', 'The IdP answers with x: bbold/b'],
    ['no long opaque text', 'x', `code ${'a'.repeat(50)}`, 'The IdP answers with x: code …'],
    ['a code that is unusable', 'a b', null, 'The IdP answers with an error without a usable code.'],
  ])('reports %s', (_what, error, description, message) => {
    expect(idpError('The IdP', error, description).message).toBe(message);
  });
});

describe('check', () => {
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
});
