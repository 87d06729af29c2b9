import { grantOf, isDue, keepAliveAt } from '../../../../src/integrations/ats/oauth/token-client.js';

const NOW = new Date('2026-03-02T09:15:30.000Z');

test('reads the lifetime of a Lever token in seconds', () => {
  const answer = {
    access_token: 'lev_at_1',
    refresh_token: 'lev_rt_1',
    token_type: 'Bearer',
    scope: 'a b',
    expires_in: 3600,
  };
  expect(grantOf(answer, null, NOW)).toEqual({
    credential: {
      kind: 'oauth',
      accessToken: 'lev_at_1',
      refreshToken: 'lev_rt_1',
      expiresAt: '2026-03-02T10:15:30.000Z',
      refreshedAt: '2026-03-02T09:15:30.000Z',
    },
    scopes: ['a', 'b'],
  });
});

test('reads the time when a Greenhouse token ends', () => {
  const answer = { access_token: 'gh_at_5f0e', expires_at: '2026-03-02T10:15:30.000Z', refresh_token: 'gh_rt_77aa' };
  expect(grantOf(answer, null, NOW)).toMatchObject({
    credential: { expiresAt: '2026-03-02T10:15:30.000Z' },
    scopes: null,
  });
});

test('keeps the refresh token when the answer has none', () => {
  expect(grantOf({ access_token: 'a' }, 'before', NOW)?.credential.refreshToken).toBe('before');
});

test.each([
  [null],
  ['text'],
  [{}],
  [{ access_token: '' }],
  [{ access_token: 7 }],
  [{ access_token: 'a\r\nb' }],
  [{ access_token: 'a', refresh_token: { a: 1 } }],
  [{ access_token: 'a'.repeat(9_000) }],
])('refuses %j as a grant', (answer) => {
  expect(grantOf(answer, null, NOW)).toBeNull();
});

test.each([[-5], ['soon'], [Infinity], [1e300]])('bounds a lifetime of %j seconds', (seconds) => {
  const end = Date.parse(grantOf({ access_token: 'a', expires_in: seconds }, null, NOW)!.credential.expiresAt);
  expect(end).toBeGreaterThan(NOW.getTime());
  expect(end).toBeLessThanOrEqual(NOW.getTime() + 366 * 86_400_000);
});

test('renews a token at four fifths of its lifetime', () => {
  const token = { refreshedAt: '2026-03-02T09:00:00.000Z', expiresAt: '2026-03-02T10:00:00.000Z' };
  expect(isDue(token, new Date('2026-03-02T09:47:59.000Z'))).toBe(false);
  expect(isDue(token, new Date('2026-03-02T09:48:00.000Z'))).toBe(true);
});

test('renews an unused grant after half of its lifetime', () => {
  const grant = grantOf({ access_token: 'a', refresh_token: 'r' }, null, NOW)!.credential;
  expect(keepAliveAt(grant, 86_400_000)).toEqual(new Date('2026-03-02T21:15:30.000Z'));
  expect(keepAliveAt({ ...grant, refreshToken: null }, 86_400_000)).toBeNull();
  expect(keepAliveAt({ kind: 'api_key', key: 'k' }, 86_400_000)).toBeNull();
});
