import { ActiveInDocuments1767226900000 } from '../../../src/base/database/migrations/1767226900000-active-in-documents.js';
import { UserNameKeys1767226910000 } from '../../../src/base/database/migrations/1767226910000-user-name-keys.js';
import { createDataSource } from '../../../src/start/data-source.js';
import { userNameKey } from '../../../src/protocols/scim/text.js';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse } from '../../support/house.js';
import { madeUser, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

/** Runs a migration on rows as an earlier version wrote them. */
async function migrated(Migration: new () => { up(runner: never): Promise<void> }): Promise<void> {
  const source = createDataSource(service.databaseUrl, 1);
  await source.initialize();
  const runner = source.createQueryRunner();
  try {
    await new Migration().up(runner as never);
  } finally {
    await runner.release();
    await source.destroy();
  }
}

it('writes active into documents that lack it, as a new version', async () => {
  const at = await newHouse(service);
  const id = await madeUser(at.scim, user('active@x.example'));
  await service.db.query(`update users set doc = doc - 'active' where tenant_id = $1`, [at.tenantId]);
  const before = (await at.scim.get(`/Users/${id}`)).body;
  expect(before.active).toBeUndefined();
  await migrated(ActiveInDocuments1767226900000);
  const after = (await at.scim.get(`/Users/${id}`)).body;
  expect(after.active).toBe(true);
  expect(after.meta.version).not.toBe(before.meta.version);
});

it('gives keys their new form where one user alone has it', async () => {
  const at = await newHouse(service);
  const old: Record<string, string> = {};
  for (const [i, name] of [
    'plain',
    ' blanks  inside ',
    'ze\u200bro',
    'tw\u200bin',
    'twin',
    'a\u00adb',
    'a\u2060b',
  ].entries()) {
    const id = await madeUser(at.scim, user(`user${i}`));
    old[name] = id;
    await service.db.query(
      `update users set user_name = $3, user_name_key = lower($3) where tenant_id = $1 and id = $2`,
      [at.tenantId, id, name],
    );
  }
  await migrated(UserNameKeys1767226910000);
  const { rows } = await service.db.query<{ user_name: string; user_name_key: string }>(
    `select user_name, user_name_key from users where tenant_id = $1 order by id`,
    [at.tenantId],
  );
  const kept = rows.filter((row) => row.user_name_key !== userNameKey(row.user_name)).map((row) => row.user_name);
  expect(kept).toEqual(['tw\u200bin', 'a\u00adb', 'a\u2060b']);
});

it('finds a user by every spelling of the user name, and takes none of them twice', async () => {
  const at = await newHouse(service);
  const id = await madeUser(at.scim, user('Barbara Jensen'));
  for (const name of ['barbara jensen', ' Barbara  Jensen', 'Barb\u200bara Jensen\u2060', 'ＢARBARA\u3000JENSEN']) {
    const found = await at.scim.get(`/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`);
    expect([name, found.body.Resources?.[0]?.id]).toEqual([name, id]);
    expect([name, (await at.scim.post('/Users', user(name))).status]).toEqual([name, 409]);
  }
  const blank = await at.scim.post('/Users', user('\u200b \u2060'));
  expect([blank.status, blank.body.scimType]).toEqual([400, 'invalidValue']);
});
