import { tableOf } from '../../../src/cli/output/table.js';

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
