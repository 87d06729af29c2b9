import { decodeCursor, encodeCursor, useCursorKey, pageOf, readPage } from '../../../src/base/http/page.js';

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a cursor', () => {
  it('is read back unchanged, and needs no escapes in a URL', () => {
    for (const value of [{ a: 1 }, { text: 'ä/+ 🔑', list: [1, null] }, {}]) {
      const cursor = encodeCursor(value);
      expect(cursor).toMatch(/^[A-Za-z0-9._~-]+$/);
      expect(decodeCursor(cursor)).toEqual(value);
    }
  });

  it.each([
    ['nothing', ''],
    ['a dot', '.'],
    ['some text', 'abc'],
    ['our form without our mark', `${Buffer.from('{"a":1}').toString('base64url')}.AAAAAAAAAAAAAAAA`],
    ['a very long text', 'x'.repeat(10_000)],
  ])('is not %s', (_, text) => {
    expect(codeOf(() => decodeCursor(text))).toBe('invalid_cursor');
  });

  it('is refused after a change, and with another key', () => {
    const cursor = encodeCursor({ id: 'usr_1' });
    const [body, mac] = cursor.split('.') as [string, string];
    const other = Buffer.from('{"id":"usr_2"}').toString('base64url');
    expect(codeOf(() => decodeCursor(`${other}.${mac}`))).toBe('invalid_cursor');
    expect(codeOf(() => decodeCursor(`${body}.${mac.slice(0, -2)}`))).toBe('invalid_cursor');
    expect(codeOf(() => decodeCursor(cursor))).toBe('accepted');
    useCursorKey(Buffer.alloc(32, 1));
    expect(codeOf(() => decodeCursor(cursor))).toBe('invalid_cursor');
  });
});

describe('a page', () => {
  const rows = [5, 4, 3, 2, 1].map((n) => ({ id: `k${n}` }));
  const from = (after: string | null, limit: number) =>
    rows.filter((row) => after === null || row.id < after).slice(0, limit + 1);

  it('walks a list to its end, every entry once', () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = readPage({ limit: '2', ...(cursor === null ? {} : { cursor }) }, 'keys');
      const answer = pageOf(
        page,
        from(page.after, page.limit),
        (row) => row.id,
        (row) => row.id,
      );
      seen.push(...answer.data);
      cursor = answer.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(['k5', 'k4', 'k3', 'k2', 'k1']);
  });

  it('has no next page when the list ends with it', () => {
    const page = readPage({ limit: '5' });
    expect(
      pageOf(
        page,
        from(null, 5),
        (row) => row.id,
        (row) => row,
      ).next_cursor,
    ).toBeNull();
  });

  it.each(['0', '201', '-1', '1.5', 'ten', '', '1e2'])('refuses limit=%s', (limit) => {
    expect(codeOf(() => readPage({ limit }))).toBe('invalid_fields');
  });

  it('accepts limits from 1 to 200, 50 by default', () => {
    expect([readPage({}), readPage({ limit: '1' }), readPage({ limit: '200' })].map(({ limit }) => limit)).toEqual([
      50, 1, 200,
    ]);
  });

  it('refuses a repeated parameter and the cursor of another list', () => {
    const cursor = encodeCursor({ a: 'k3', l: 'keys active' });
    expect(codeOf(() => readPage({ limit: ['1', '2'] }))).toBe('repeated_parameter');
    expect(codeOf(() => readPage({ cursor }, 'keys'))).toBe('invalid_cursor');
    expect(codeOf(() => readPage({ cursor }, 'keys active'))).toBe('accepted');
  });
});
