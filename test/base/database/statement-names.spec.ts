import { shapedStatementName, statementName } from '../../../src/base/database/statement-names.js';

it('a statement of our own has one name, always the same', () => {
  expect(statementName('select 1')).toBe(statementName('select 1'));
  expect(statementName('select 1')).not.toBe(statementName('select 2'));
});

it('of the texts that callers shape, the first few that come again are prepared, and no more', () => {
  const text = (i: number) => `select 1 offset ${i}`;
  expect([1, 2, 3].map(() => shapedStatementName('select a'))).toEqual([undefined, undefined, expect.any(String)]);
  for (let i = 0; i < 5000; i++) expect(shapedStatementName(text(i))).toBeUndefined();
  let prepared = 0;
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 200; i++) prepared = Math.max(prepared, shapedStatementName(text(i)) === undefined ? 0 : i + 1);
  }
  expect(prepared).toBe(63);
  expect(shapedStatementName('select a')).toBeDefined();
});
