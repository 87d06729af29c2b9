import { textArray } from '../../../src/base/database/params.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase(1);
});
afterAll(() => test.close());

const read = async (values: readonly (string | null)[]): Promise<(string | null)[]> => {
  const { rows } = await test.db.query<{ value: string | null }>(
    'select u.value from unnest($1::text[]) with ordinality as u(value, place) order by u.place',
    [textArray(values)],
  );
  return rows.map(({ value }) => value);
};

it.each([
  ['no text', []],
  ['plain texts', ['a', 'b c', 'ü', '😀']],
  ['nothing, and words that mean it', [null, 'null', 'NULL', '']],
  ['what arrays are made of', ['{}', '{a,b}', ',', '"', '""', '\\', '\\\\', '\\"', "'", ' x ']],
  ['JSON in JSON', [JSON.stringify({ a: JSON.stringify({ b: '"\\' }) })]],
  ['control characters', ['a\nb', '\t', '\r', '\b\f', '\u001f', '\\n', '\\\n', '\\u0041']],
])('writes a list that the database reads unchanged: %s', async (_, values: (string | null)[]) => {
  expect(await read(values)).toEqual(values);
});

it('quotes each text when JSON has escapes that arrays lack', () => {
  expect(textArray(['plain', 'two\nlines', null])).toBe('{"plain","two\nlines",NULL}');
  expect(textArray(['plain', '"'])).toBe('{"plain","\\""}');
});
