import { print } from '../../../src/cli/output/output.js';

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
