import { settingsIn, settingsPage } from '../../../src/cli/reference/settings.mapping.js';

const source = (decorator: string) => `export class Environment {
  /**
   * What it is,
   * in two lines.
   *
   * @defaultValue \`1\`
   */
  ${decorator}
  NAME?: string;
}
`;

it.each([
  ["@OneOf('on', 'off')", '`on`, `off`'],
  ['@WholeNumber(1, 3_650)', 'a whole number, 1 to 3650'],
  ['@HttpAddress()', 'an http or https address'],
  [
    '@KeyList()',
    '32 bytes in base64, or several keys with commas between, each with an id (id:base64) or without, none twice',
  ],
  ['@Duration()', 'a duration: `90s`, `60m`, `12h`'],
  ["@Matches(/^postgres/, { message: 'must be a postgres:// address' })", 'a postgres:// address'],
  ["@Rule(\n    'keys',\n    isKeyList,\n    'must be 32 bytes',\n  )", '32 bytes'],
])('reads the values of %s', (decorator, values) => {
  expect(settingsIn(source(decorator))).toEqual([
    { name: 'NAME', meaning: 'What it is, in two lines.', byDefault: '`1`', values },
  ]);
});

it('writes a row for each setting, and escapes bars', () => {
  const page = settingsPage([{ name: 'A', meaning: 'x|y', byDefault: 'none', values: '`z`' }]);
  expect(page).toContain('| `A` | none | x\\|y | `z` |');
});
