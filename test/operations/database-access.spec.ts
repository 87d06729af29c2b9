import { randomBytes } from 'node:crypto';
import { databaseAddressOf, SERVICE_ROLE } from '../../src/base/database/service-role.js';
import { MIGRATIONS } from '../../src/base/database/migrations.js';
import { createDataSource } from '../../src/start/data-source.js';
import { Database } from '../../src/base/database/database.js';
import { nextUpdatedSince } from '../../src/base/database/record-list.js';
import { olderWorkOver } from '../../src/seats/seat-limits.service.js';
import { prepareDatabase } from '../../src/start/database-access.js';
import { ownerOf, testDatabase, type TestDatabase } from '../support/database.js';
import { long } from '../support/rounds.js';

// As whom the service gets at its database, by the addresses that it is given.
const made: { roles: string[]; databases: string[] } = { roles: [], databases: [] };
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(2);
});
afterAll(async () => {
  for (const name of made.databases) await database.owner.execute(`drop database ${name} with (force)`);
  for (const role of made.roles) {
    await database.owner.execute(`drop owned by ${role}`);
    await database.owner.execute(`drop role ${role}`);
  }
  await database.close();
});

const fresh = (what: string): string => `${what}_${randomBytes(4).toString('hex')}`;

/** A role that can log in, with its address. */
async function login(attributes = ''): Promise<{ role: string; url: string }> {
  const role = fresh('role');
  await database.owner.execute(`create role ${role} login password 'secret' ${attributes}`);
  made.roles.push(role);
  return { role, url: databaseAddressOf(database.url, role, 'secret') };
}

/** An empty database of a role's own. */
async function databaseOf({ role, url }: { role: string; url: string }): Promise<string> {
  const name = fresh('owned');
  await database.owner.execute(`create database ${name} owner ${role}`);
  made.databases.push(name);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

/** As whom a connection of the service acts. */
async function whoAmI(url: string, role: string | null): Promise<string> {
  const source = createDataSource(url, 1, role);
  await source.initialize();
  try {
    const rows: { me: string }[] = await source.query('select current_user as me');
    return rows[0]!.me;
  } finally {
    await source.destroy();
  }
}

/** What one process finds of a transaction that another one has begun, of the same address or `theirs`, and after it. */
async function olderWork(
  url: string,
  role: string | null,
  theirs = url,
): Promise<[during: boolean, isBefore: boolean, after: boolean]> {
  const sources = [createDataSource(url, 2, role), createDataSource(theirs, 2, role)];
  for (const source of sources) await source.initialize();
  const [one, other] = sources.map((source) => new Database(source)) as [Database, Database];
  try {
    const [during, isBefore] = await other.transaction('ten_1', async (tx) => {
      const { rows } = await tx.query<{ began: Date }>(`select now() as began, $1::text`, ['ten_1']);
      const next = Date.parse(await nextUpdatedSince(one, 'ten_1'));
      // Ten seconds are for clocks that differ: the next call begins before the transaction, not before this moment.
      return [await olderWorkOver(one, 'ten_1', 0), next + 10_000 <= rows[0]!.began.getTime()];
    });
    return [during, isBefore, await olderWorkOver(one, 'ten_1', 0)];
  } finally {
    for (const db of [one, other]) await db.close();
    for (const source of sources) if (source.isInitialized) await source.destroy();
  }
}

it('migrates as a superuser, and serves as a plain role', async () => {
  const access = await prepareDatabase(database.url, null);
  expect(access).toMatchObject({ role: SERVICE_ROLE, asOwner: null, migrated: [] });
  expect(await whoAmI(access.url, access.role)).toBe(SERVICE_ROLE);
  expect(await olderWork(access.url, access.role)).toEqual([false, true, true]);
});

long('serves as the plain role when the owner is a member of it, else logs the reason', async () => {
  const owner = await login();
  const url = await databaseOf(owner);
  const first = await prepareDatabase(url, null);
  expect(first).toMatchObject({ role: null, asOwner: expect.stringContaining(SERVICE_ROLE) });
  expect(first.migrated).toHaveLength(MIGRATIONS.length);
  expect(await whoAmI(first.url, first.role)).toBe(owner.role);
  expect(await olderWork(first.url, first.role)).toEqual([false, true, true]);

  await database.owner.execute(`grant ${SERVICE_ROLE} to ${owner.role} with admin option`);
  const second = await prepareDatabase(url, null);
  expect(second).toEqual({ url, role: SERVICE_ROLE, asOwner: null, migrated: [] });
  expect(await whoAmI(second.url, second.role)).toBe(SERVICE_ROLE);
  expect(await olderWork(second.url, second.role)).toEqual([false, true, true]);

  // Two logins of one owner in turn: work of the other one is waited for. When it began is not shown.
  const turn = await login();
  await database.owner.execute(`grant ${owner.role}, ${SERVICE_ROLE} to ${turn.role}`);
  const other = new URL(turn.url);
  other.pathname = new URL(url).pathname;
  expect(await prepareDatabase(other.href, null)).toMatchObject({ role: SERVICE_ROLE, migrated: [] });
  const [during, , after] = await olderWork(other.href, SERVICE_ROLE, url);
  expect([during, after]).toEqual([false, true]);
});

long('migrates as the owner and serves as the plain role when there are two addresses', async () => {
  const owner = await login('createrole');
  const ownerUrl = await databaseOf(owner);
  const plain = fresh('plain');
  made.roles.push(plain);
  const url = databaseAddressOf(ownerUrl, plain, 'other secret');

  const access = await prepareDatabase(url, ownerUrl);
  expect(access).toMatchObject({ url, role: null, asOwner: null });
  expect(access.migrated).toHaveLength(MIGRATIONS.length);
  expect(await whoAmI(access.url, access.role)).toBe(plain);
  expect(await olderWork(access.url, access.role)).toEqual([false, true, true]);

  const alone = await prepareDatabase(url, null);
  expect(alone).toEqual({ url, role: null, asOwner: null, migrated: [] });
  const service = await ownerOf(url);
  const ledger = service.execute(`update audit_entries set action = 'x'`);
  await expect(ledger).rejects.toMatchObject({ code: '42501' });
  await service.dataSource.destroy();

  // A later version has one more migration: a plain role says so and does not start.
  const later = await ownerOf(ownerUrl);
  await later.execute(`delete from migrations where id = (select max(id) from migrations)`);
  await later.dataSource.destroy();
  await expect(prepareDatabase(url, null)).rejects.toThrow(/lacks 1 migrations .*MIGRATION_DATABASE_URL/);
});
