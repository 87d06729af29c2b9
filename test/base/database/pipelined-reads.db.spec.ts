import type pg from 'pg';
import { isOfConnection, PipelinedReads } from '../../../src/base/database/pipelined-reads.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

interface Read {
  tenant: string;
  key: string;
  backend: number;
}

/** A read of a tenant: its first parameter is the tenant, the second a number of milliseconds to take. */
const SLOW = `select $1::text as tenant, $3::text as key, pg_backend_pid() as backend, pg_sleep($2::float8 / 1000)::text as slept`;
const LONG = `select $1::text as tenant, pg_backend_pid() as backend, repeat('x', $2::int) as filling`;
const HALF = `select $1::text as tenant, 10 / $2::int as half, pg_backend_pid() as backend`;

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

const read = async (tenant: string, key = 'k', ms = 0): Promise<Read> =>
  (await test.db.readShort<Read>(SLOW, [tenant, ms, key])).rows[0]!;

/** The backend that short reads are sent to. */
const shared = async (): Promise<number> => (await read('ten_look')).backend;

/** Waits until short reads are answered by one backend again: one that took long has kept others away. */
async function flowing(): Promise<number> {
  for (;;) {
    const backends = [await shared(), await shared(), await shared()];
    if (new Set(backends).size === 1) return backends[0]!;
  }
}

const optionsOf = (): pg.PoolConfig => (test.dataSource.driver as unknown as { master: pg.Pool }).master.options;

it('answers each of the reads that come at once, by one connection', async () => {
  const asked = Array.from({ length: 60 }, (_, i) => ({ tenant: `ten_${i % 20}`, key: `key ${i}` }));
  const backend = await flowing();
  const answers = await Promise.all(asked.map(({ tenant, key }) => read(tenant, key)));
  expect(answers).toMatchObject(asked);
  expect(new Set(answers.map((answer) => answer.backend))).toEqual(new Set([backend]));
});

it('fails one read alone', async () => {
  await flowing();
  const [before, failed, behind] = await Promise.allSettled(
    [5, 0, 2].map((by) => test.db.readShort<{ half: number }>(HALF, ['ten_a', by])),
  );
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
  expect(before).toMatchObject({ status: 'fulfilled', value: { rows: [{ half: 2 }] } });
  expect(behind).toMatchObject({ status: 'fulfilled', value: { rows: [{ half: 5 }] } });
});

it('sends reads while a slow one runs', async () => {
  const backend = await flowing();
  let isOver = false;
  const slow = read('ten_slow', 'slow', 1_000).finally(() => (isOver = true));
  // Those of the first five milliseconds wait for the slow one.
  const others: Promise<Read>[] = [];
  let past: Read | undefined;
  while (past === undefined && !isOver) {
    others.push(read('ten_other'));
    past = await Promise.race([...others, new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))]);
  }
  expect(isOver).toBe(false);
  expect(past!.backend).not.toBe(backend);
  expect(await slow).toMatchObject({ tenant: 'ten_slow', backend });
  await Promise.all(others);
});

it('excludes a tenant with long answers, and no other', async () => {
  const backend = await flowing();
  const long = (tenant: string) => test.db.readShort<Read>(LONG, [tenant, 70_000]);
  expect((await long('ten_long')).rows[0]!.backend).toBe(backend);
  expect((await read('ten_long')).backend).not.toBe(backend);
  expect(await flowing()).toBe(backend);
});

it('admits a tenant again after ten seconds, and 64 reads at once', async () => {
  let now = 0;
  const reads = new PipelinedReads(optionsOf(), () => now);
  await reads.query('ten_long', LONG, ['ten_long', 70_000]);
  expect([reads.admits('ten_long'), reads.admits('ten_other')]).toEqual([false, true]);
  now = 9_999;
  expect(reads.admits('ten_long')).toBe(false);
  now = 10_001;
  expect(reads.admits('ten_long')).toBe(true);

  const out = Array.from({ length: 64 }, () => reads.query('ten_other', LONG, ['ten_other', 1]));
  expect(reads.admits('ten_other')).toBe(false);
  await out[0];
  expect(reads.admits('ten_other')).toBe(true);
  await reads.close();
  expect((await Promise.all(out)).map(({ rows }) => rows.length)).toEqual(out.map(() => 1));
});

it('gives up a connection without an answer for longer than any statement takes', async () => {
  let now = 0;
  const reads = new PipelinedReads(optionsOf(), () => now);
  await reads.query('ten_a', LONG, ['ten_a', 1]);
  const hanging = reads.query('ten_a', SLOW, ['ten_a', 60_000, 'k']);
  now = 6;
  expect(reads.admits('ten_b')).toBe(false);
  now = 30_001;
  expect(reads.admits('ten_b')).toBe(false);
  await expect(hanging).rejects.toThrow(/terminated/);
  expect(reads.admits('ten_b')).toBe(true);
  expect((await reads.query<Read>('ten_b', LONG, ['ten_b', 1])).rows[0]).toMatchObject({ tenant: 'ten_b' });
  await reads.close();
});

it.each([
  ['refuses', (url: URL) => (url.port = '1')],
  ['has no such database', (url: URL) => (url.pathname = '/none')],
])('leaves reads to the pool for a second when the server %s', async (_, change) => {
  let now = 0;
  const url = new URL(test.url);
  change(url);
  const reads = new PipelinedReads({ connectionString: url.href }, () => now);
  expect(reads.admits('ten_a')).toBe(true);
  const failure: unknown = await reads.query('ten_a', LONG, ['ten_a', 1]).catch((error: unknown) => error);
  expect([failure instanceof Error, isOfConnection(failure)]).toEqual([true, true]);
  expect(reads.admits('ten_a')).toBe(false);
  now = 1_001;
  expect(reads.admits('ten_a')).toBe(true);
  await reads.close();
});

it('answers reads by the pool when their connection ends, and opens another one', async () => {
  const backend = await flowing();
  const out = read('ten_a', 'a', 1_500);
  const behind = read('ten_b', 'b');
  for (;;) {
    const { rows } = await test.owner.query<{ state: string; query: string }>(
      'select state, query from pg_stat_activity where pid = $1',
      [backend],
    );
    if (rows[0]?.state === 'active' && rows[0].query === SLOW) break;
  }
  await test.owner.query('select pg_terminate_backend($1)', [backend]);
  expect((await behind).backend).not.toBe(backend);
  expect(await out).toMatchObject({ tenant: 'ten_a' });
  expect(await flowing()).not.toBe(backend);
});
