import { print, tableOf } from '../../../src/cli/output/output.js';

describe('output', () => {
  function printed(result: unknown, json = false): string {
    let out = '';
    print({ out: (text) => (out += text), err: () => undefined }, result, json);
    return out;
  }

  describe('a cell', () => {
    it.each([null, undefined, '', []])('is - when the value is %j', (value) => {
      expect(printed([{ id: 'a', value }])).toBe('id  value\na   -\n');
      expect(printed({ id: 'a', value })).toBe('id     a\nvalue  -\n');
    });

    it.each([
      ['held', 'has one'],
      ['waiting', 'waits'],
      ['none', 'none'],
      ['gains', 'gains'],
    ])('says of the seat %s that the user %s', (seat, words) => {
      expect(printed([{ seat }])).toBe(`seat\n${words}\n`);
      expect(printed({ seat })).toBe(`seat  ${words}\n`);
      expect(JSON.parse(printed({ seat }, true))).toEqual({ seat });
    });

    it('has the number of a long list, and a record has the list', () => {
      const scopes = Array.from({ length: 21 }, (_, place) => `scope${place}:read`);
      expect(printed([{ scopes }])).toBe('scopes\n21 (--json)\n');
      expect(printed({ scopes })).toBe(`scopes  ${scopes.join(',')}\n`);
      expect(printed([{ scopes: scopes.slice(0, 2) }])).toBe('scopes\nscope0:read,scope1:read\n');
    });

    it('has no character that moves the cursor', () => {
      expect(printed([{ name: 'a\u001b[2Jb\nc\td' }])).toBe('name\na�[2Jb�c�d\n');
    });
  });
});

describe('table', () => {
  const NAMES = ['id', 'email', 'why'];
  const ROW = ['usr_01k0000000abcdefghjkmnpqrs', 'barbara.jensen@a-rather-long-company-name.example', 'x'.repeat(200)];

  it('has its full width when the output is a file', () => {
    expect(tableOf(NAMES, [ROW], undefined)).toContain(ROW[2]);
  });

  it.each([80, 100, 140])('fits a terminal of %s columns and never cuts an id', (width) => {
    const table = tableOf(NAMES, [ROW, ROW], width);
    for (const line of table.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    expect(table).toContain(ROW[0]);
    expect(table).toContain('…');
  });

  it('prints a block for each row where no table fits', () => {
    expect(tableOf(NAMES, [ROW, ROW], 40)).toBe(`id     ${ROW[0]}\nemail  ${ROW[1]}\nwhy    ${ROW[2]}\n\n`.repeat(2));
  });

  it('counts wide characters as two columns', () => {
    expect(
      tableOf(
        ['name', 'x'],
        [
          ['漢字', 'a'],
          ['ab', 'b'],
        ],
        80,
      ),
    ).toBe('name  x\n漢字  a\nab    b\n');
  });
});
