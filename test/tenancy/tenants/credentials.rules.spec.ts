import { mintToken } from '../../../src/base/crypto/tokens.js';
import {
  credentialForm,
  wordsOfForm,
  expiryProblem,
  MAX_LIFETIME_MS,
  noticeAt,
  rotatedExpiry,
} from '../../../src/tenancy/tenants/credentials.rules.js';

describe('credential form', () => {
  const scim = mintToken('tbs', 'ten_01abcdefgh').token;
  const key = mintToken('tbk', 'ten_01abcdefgh').token;

  it.each([
    ['a whole token', `Bearer ${scim}`, null],
    ['a cut token', `Bearer ${scim.slice(0, -3)}`, 'incomplete'],
    ['a token that is cut within its tenant', `Bearer ${scim.slice(0, 20)}`, 'incomplete'],
    ['a changed token', `Bearer ${scim.slice(0, -1)}${scim.endsWith('0') ? '1' : '0'}`, 'incomplete'],
    ['a doubled Bearer', `Bearer Bearer ${scim}`, 'doubled_bearer'],
    ['a header without Bearer', scim, 'no_bearer'],
    ['Bearer in small letters', `bearer ${scim}`, null],
    ['an API key', `Bearer ${key}`, 'other_kind'],
    ['a token of another product', 'Bearer eyJhbGciOiJub25lIn0.e30.', 'foreign'],
    ['a password', 'Basic dXNlcjpwYXNz', 'foreign'],
    ['an endless header', `Bearer ${'x'.repeat(100_000)}`, 'foreign'],
  ])('reads the form of %s', (_, header, problem) => {
    expect(credentialForm(header, 'tbs').problem).toBe(problem);
  });

  it('names the next step for each problem, and no part of the credential', () => {
    for (const problem of ['incomplete', 'doubled_bearer', 'no_bearer', 'other_kind', 'foreign'] as const) {
      expect(wordsOfForm(problem)).toMatch(/Copy|Enter|Authorization|begins with/);
    }
  });
});

describe('expiry', () => {
  const DAY = 86_400_000;
  const at = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * DAY);
  const NOW = at(20);

  it.each([
    ['has no end when the old one has none', null, undefined, null],
    ['has the lifetime of the old one, from now on', at(30), undefined, at(50)],
    ['has the end that is asked for', at(30), at(21), at(21)],
    ['has no end when that is asked for', at(30), null, null],
    ['lives a year at the most', at(5_000), undefined, new Date(NOW.getTime() + MAX_LIFETIME_MS)],
  ])('a credential that replaces another one %s', (_, expires_at, asked, expected) => {
    expect(rotatedExpiry({ created_at: at(0), expires_at }, asked, NOW)).toEqual(expected);
  });

  it('accepts an end in the future, at most a year from now', () => {
    expect([at(19), NOW, at(21), at(386), at(387)].map((value) => expiryProblem(value, NOW))).toEqual([
      'must be in the future',
      'must be in the future',
      null,
      null,
      'must be at most a year from now',
    ]);
  });

  describe('the mark that an expiring credential has passed', () => {
    const now = new Date('2026-01-01T00:00:00.000Z');
    it.each([
      [40, null],
      [30, 30],
      [8, 30],
      [7, 7],
      [0.5, 1],
    ])('with %s days left is %s', (left, mark) => {
      expect(noticeAt(new Date(now.getTime() + left * 86_400_000), now)).toBe(mark);
    });
  });
});
