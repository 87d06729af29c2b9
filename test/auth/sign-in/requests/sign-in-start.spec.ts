import { returnTarget, startAsk, startQuery } from '../../../../src/auth/sign-in/requests/sign-in-start.js';

describe('return to', () => {
  const rules = {
    origin: 'https://bridge.example.com',
    home: 'https://bridge.example.com/',
    allowed: ['https://app.example.com'],
  };

  it.each([
    [null, { url: rules.home, application: null }],
    ['', { url: rules.home, application: null }],
    ['/jobs?x=1', { url: 'https://bridge.example.com/jobs?x=1', application: null }],
    ['https://bridge.example.com/jobs', { url: 'https://bridge.example.com/jobs', application: null }],
    ['https://app.example.com/x', { url: 'https://app.example.com/x', application: 'https://app.example.com' }],
  ])('leads %s to its target', (text, target) => {
    expect(returnTarget(text, rules)).toEqual(target);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https:evil.example',
    'http://app.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'jobs',
    '/jobs\n',
    '/jo bs',
    `/${'a'.repeat(2048)}`,
  ])('refuses %j', (text) => {
    expect(returnTarget(text, rules)).toBeNull();
  });
});

describe('start ask', () => {
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
});
