import { startAsk, startQuery } from '../../../../src/auth/sign-in/requests/start-ask.mapping.js';

const CHALLENGE = 'a'.repeat(43);

it('reads the parameters of a sign-in, and nothing from an empty query', () => {
  const query = {
    return_to: '/x',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    prompt: 'login',
    login_hint: 'ada',
  };
  const ask = { returnTo: '/x', codeChallenge: CHALLENGE, prompt: 'login', loginHint: 'ada' };
  expect(startAsk(query)).toEqual(ask);
  expect(startAsk({})).toEqual({ returnTo: null, codeChallenge: null, prompt: null, loginHint: null });
});

it('takes target_link_uri where return_to is missing', () => {
  expect(startAsk({ target_link_uri: '/a' }).returnTo).toBe('/a');
  expect(startAsk({ target_link_uri: '/a', return_to: '/b' }).returnTo).toBe('/b');
});

it('cuts a long login hint', () => {
  expect(startAsk({ login_hint: 'x'.repeat(400) }).loginHint).toHaveLength(320);
});

it.each<[string, Record<string, string>]>([
  ['another prompt', { prompt: 'none' }],
  ['a challenge without its method', { code_challenge: CHALLENGE }],
  ['the method plain', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }],
  ['a short challenge', { code_challenge: 'a', code_challenge_method: 'S256' }],
])('refuses %s', (_what, query) => {
  expect(() => startAsk(query)).toThrow();
});

it('writes a query that is read as the same sign-in', () => {
  const ask = { returnTo: '/x', codeChallenge: CHALLENGE, prompt: 'login', loginHint: 'ada' } as const;
  expect(startAsk(startQuery(ask))).toEqual(ask);
  expect(startQuery(startAsk({}))).toEqual({});
});
