// The names of statements are kept for all of a process: other specs of a worker may have used them up.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MAX_PREPARED, SHAPED } from '../../../src/base/database/bounded-client.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase(1);
});
afterAll(() => test.close());

const prepared = async (): Promise<number> => {
  const { rows } = await test.db.execute<{ n: number }>('select count(*)::int as n from pg_prepared_statements');
  return rows[0]!.n;
};
const text = (i: number): string => `select ${i}::int as i, $1::int as given`;

it('keeps the statements that were used last, and still answers those that it has closed', async () => {
  for (let i = 0; i < MAX_PREPARED.own * 2; i++) {
    const { rows } = await test.db.query<{ i: number; given: number }>(text(i), [i]);
    expect(rows[0]).toEqual({ i, given: i });
    await test.db.query(text(0), [1]);
  }
  expect(await prepared()).toBe(MAX_PREPARED.own);
  const { rows } = await test.db.execute<{ statement: string }>('select statement from pg_prepared_statements');
  expect(rows.map((row) => row.statement)).toContain(text(0));
  expect((await test.db.query<{ i: number }>(text(1), [1])).rows[0]!.i).toBe(1);
  expect(await prepared()).toBe(MAX_PREPARED.own);
});

it('closes a statement in a transaction that has failed, and in many queries that wait at the same time', async () => {
  await expect(
    test.db.transaction(null, async (tx) => {
      await tx.query(text(5000), [1]);
      await expect(tx.query('select 1 / $1::int as x', [0])).rejects.toThrow('division by zero');
      await expect(tx.query(text(5001), [1])).rejects.toThrow('aborted');
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => test.db.query<{ i: number }>(text(6000 + i), [1])),
  );
  expect(answers.map(({ rows }) => rows[0]!.i)).toEqual(Array.from({ length: 50 }, (_, i) => 6000 + i));
  expect(await prepared()).toBeLessThanOrEqual(MAX_PREPARED.own);
});

it('keeps fewer of the texts that callers shape, and closes no other statement for them', async () => {
  await test.db.query(text(0), [1]);
  for (let i = 0; i < MAX_PREPARED.shaped * 2; i++) {
    // A text of a caller is prepared when it comes for the third time.
    for (let n = 0; n < 3; n++) await test.db.shaped(text(8000 + i), [1]);
  }
  const { rows } = await test.db.execute<{ name: string; statement: string }>(
    'select name, statement from pg_prepared_statements',
  );
  expect(rows.filter(({ name }) => name.startsWith(SHAPED))).toHaveLength(MAX_PREPARED.shaped);
  expect(rows.map(({ statement }) => statement)).toContain(text(0));
});
