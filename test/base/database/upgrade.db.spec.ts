import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MIGRATIONS } from '../../../src/base/database/migrations.js';
import { PlainFailure } from '../../../src/base/errors/domain-error.js';
import { prepareDatabase } from '../../../src/start/database-access.js';
import { CATALOGUE } from '../../support/catalogue.js';
import { ownerOf, testDatabase, type TestDatabase } from '../../support/database.js';

// A database of each earlier version becomes what the files of `schema/` make. A migration needs no test of its own for that:
// it runs here. Rows that it changes are looked at below.
const FOLDER = path.resolve('test/base/database/upgrade');
const EARLIER = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));

let fresh: TestDatabase;
const made: string[] = [];
beforeAll(async () => {
  fresh = await testDatabase(2);
});
afterAll(async () => {
  for (const name of made) await fresh.owner.execute(`drop database ${name} with (force)`);
  await fresh.close();
});

/** A database of an earlier version, with what `then` does to it. */
async function earlier(file: string, then = ''): Promise<string> {
  const name = `earlier_${randomBytes(4).toString('hex')}`;
  await fresh.owner.execute(`create database ${name} template template0`);
  made.push(name);
  const url = new URL(fresh.url);
  url.pathname = `/${name}`;
  await ask(url.href, readFileSync(path.join(FOLDER, file), 'utf8') + then);
  return url.href;
}

async function ask<R extends object>(url: string, sql: string): Promise<R[]> {
  const database = await ownerOf(url);
  try {
    return (await database.execute<R & Record<string, unknown>>(sql)).rows;
  } finally {
    await database.dataSource.destroy();
  }
}

const catalogueOf = async (url: string): Promise<string[]> =>
  (await ask<{ line: string }>(url, CATALOGUE)).map(({ line }) => line);

it('finds a difference of two databases in each kind of object', async () => {
  const lines = await catalogueOf(fresh.url);
  expect([...new Set(lines.map((line) => line.split(' ', 1)[0]))].sort()).toEqual(
    'collation column constraint extension function index right rows sequence statistics table trigger'.split(' '),
  );
  expect(lines).toContain(
    `trigger chain_keys CREATE TRIGGER chain_keys_append_only BEFORE DELETE OR UPDATE ON public.chain_keys FOR EACH ROW EXECUTE FUNCTION refuse_change() O`,
  );
});

it.each(EARLIER)('upgrades %s to the schema of a fresh database', async (file) => {
  const url = await earlier(file);
  const { migrated } = await prepareDatabase(url, null);
  expect(migrated.length).toBeGreaterThan(0);
  const [upgraded, wanted] = [await catalogueOf(url), await catalogueOf(fresh.url)];
  expect(upgraded.filter((line) => !wanted.includes(line))).toEqual([]);
  expect(wanted.filter((line) => !upgraded.includes(line))).toEqual([]);
  expect((await prepareDatabase(url, null)).migrated).toEqual([]);
});

it('keeps the values of older rows', async () => {
  const url = await earlier('before-baseline.sql');
  await prepareDatabase(url, null);
  expect(await ask(url, `select * from tenant_addresses`)).toEqual([
    { base_url: 'https://a.bridge.example', tenant_id: 'ten_a' },
  ]);
  const of = { tenant_id: 'ten_a', connection_id: 'ats_1' };
  expect(await ask(url, `select * from ats_token_hashes order by hash`)).toEqual([
    { provider: 'greenhouse', hash: Buffer.from([1]), ...of, token_id: 'tok_1' },
    { provider: 'greenhouse', hash: Buffer.from([2]), ...of, token_id: 'tok_2' },
  ]);
  expect(await ask(url, `select id, hint, made from ats_tokens order by id`)).toEqual([
    { id: 'tok_1', hint: 'abcd', made: false },
    { id: 'tok_2', hint: 'efgh', made: true },
  ]);
  expect(
    await ask(url, `select tenant_id, owner, sum(step)::int as n from population_steps group by 1, 2 order by 1`),
  ).toEqual([
    { tenant_id: 'ten_a', owner: '', n: 2 },
    { tenant_id: 'ten_b', owner: '', n: 1 },
  ]);
});

it('records all migrations as run in a fresh database', async () => {
  const { rows } = await fresh.owner.execute<{ name: string; timestamp: string }>(
    `select name, timestamp from migrations order by id`,
  );
  expect(rows.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
  expect(rows.every(({ name, timestamp }) => name.endsWith(timestamp))).toBe(true);
});

it('refuses a database that lacks migrations from before the baseline, and changes nothing in it', async () => {
  const url = await earlier(
    'before-baseline.sql',
    `delete from migrations where name in ('TenantStorage1767227750000', 'FirstDays1767227850000')`,
  );
  const before = await catalogueOf(url);
  const refusal = prepareDatabase(url, null);
  await expect(refusal).rejects.toThrow(PlainFailure);
  await expect(refusal).rejects.toThrow(/has 74 of the 76 migrations .*docs\/run\/upgrade\.md/s);
  expect(await catalogueOf(url)).toEqual(before);
});
