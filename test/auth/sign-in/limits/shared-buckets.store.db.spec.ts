import { SharedBuckets } from '../../../../src/auth/sign-in/limits/sign-in-limits.js';
import { SystemClock } from '../../../../src/base/clock.js';
import { testDatabase, type TestDatabase } from '../../../support/database.js';

// Allowances that all processes share: what one has used up, no other one has left.
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(20);
});
afterAll(() => database.close());
beforeEach(() => database.db.execute('delete from tries'));

/** One process's view; with no refill unless said, so that nothing depends on how long a test takes. */
const process = (more: { kind?: string; perSecond?: number; burst?: number } = {}): SharedBuckets =>
  new SharedBuckets(database.db, new SystemClock(), { kind: 'try', perSecond: 0, burst: 3, ...more });

it('is shared by all processes, and separate for each name and kind', async () => {
  const [one, two] = [process(), process()];
  expect([await one.take('a'), await two.take('a'), await one.take('a')]).toEqual([true, true, true]);
  expect([await one.take('a'), await two.take('a')]).toEqual([false, false]);
  expect([await one.isEmpty('a'), await two.isEmpty('a'), await process().isEmpty('a')]).toEqual([true, true, true]);
  expect([await one.isEmpty('b'), await two.take('b')]).toEqual([false, true]);
  expect(await process({ kind: 'another' }).take('a')).toBe(true);
});

it('gives concurrent callers as many tokens as there are', async () => {
  const processes = Array.from({ length: 4 }, () => process({ burst: 20 }));
  const all = await Promise.all(Array.from({ length: 60 }, (_, i) => processes[i % 4]!.take('crowd')));
  expect(all.filter(Boolean)).toHaveLength(20);
});

it('fills again by the time of the database, up to its size', async () => {
  const size = { perSecond: 1, burst: 5 };
  const first = process(size);
  for (let i = 0; i < 5; i++) expect(await first.take('a')).toBe(true);
  expect(await process(size).take('a')).toBe(false);
  const later = (seconds: number) =>
    database.db.execute(`update tries set at = at - make_interval(secs => $1)`, [seconds]);
  await later(2.5);
  const taken = async (from: SharedBuckets): Promise<number> => {
    let count = 0;
    while (await from.take('a')) count++;
    return count;
  };
  expect(await taken(process(size))).toBe(2);
  await later(3_600);
  expect(await taken(process(size))).toBe(5);
});

it('takes nothing for a refusal, and asks the database no more in the process that has seen it', async () => {
  const one = process({ burst: 1 });
  expect([await one.take('a'), await one.take('a'), await one.isEmpty('a')]).toEqual([true, false, true]);
  await database.db.execute('delete from tries');
  expect([await one.take('a'), await process({ burst: 1 }).take('a')]).toEqual([false, true]);
});

it('stores addresses and accounts as hashes alone', async () => {
  await process().take('192.0.2.1');
  const { rows } = await database.db.execute<{ row: string }>(`select tries::text as row from tries`);
  expect(rows).toHaveLength(1);
  expect(rows[0]!.row).not.toContain(Buffer.from('192.0.2.1').toString('hex'));
  expect(rows[0]!.row).toMatch(/^\("\\\\x[0-9a-f]{32}"/);
});
