import { startApp, type TestApp } from '../support/app.js';
import { startBeside, type Beside } from '../support/beside.js';
import { client, type Answer } from '../support/http.js';
import { madeGroup, madeUser, replace, scim, user, fresh } from '../support/scim.js';

// An older process and the migrations of a newer version. The older one has the present list of migrations; the newer one adds a
// column to each table, as released migrations may, and records a migration that the older process does not know.
let older: TestApp;
let newer: Beside;
beforeAll(async () => (older = await startApp()));
afterAll(async () => {
  await newer.stop();
  await older.close();
});

it('an older process refuses no request while and after a newer version adds to the schema', async () => {
  const directory = scim(older.url, older.tenant.scimToken);
  const api = client(`${older.url}/api/v1`, older.tenant.apiKey);
  const id = await madeUser(directory);
  const group = await madeGroup(directory, [id]);
  const requests: (() => Promise<Answer>)[] = [
    () => directory.get('/Users?count=5'),
    () => directory.get(`/Users/${id}`),
    () => directory.post('/Users', user(`${fresh()}@example.com`)),
    () => directory.patch(`/Users/${id}`, replace('displayName', fresh())),
    () => directory.patch(`/Groups/${group}`, replace('displayName', fresh())),
    () => directory.get(`/Groups/${group}`),
    ...['users', 'directories', 'roles', 'api-keys', 'webhooks', 'connections', 'changes', 'events', 'audit', 'held', 'tasks', 'requests', 'sign-ins', 'seats', 'status', 'overview', 'candidates', 'jobs', 'ats-connections', `users/${id}/history`, `users/${id}/explain`].map(
      (place) => () => api.get(`/${place}`),
    ), // prettier-ignore
  ];
  const failed = new Set<string>();
  const all = async (): Promise<void> => {
    for (const [i, request] of requests.entries()) {
      const { status, text } = await request();
      if (status >= 400) failed.add(`${i} ${status} ${text.slice(0, 200)}`);
    }
  };
  // Each statement is prepared on several connections before the columns come.
  for (let round = 0; round < 3; round++) await Promise.all([all(), all(), all(), all()]);
  let migrating = true;
  const callers = [0, 1, 2, 3].map(async () => {
    while (migrating) await all();
  });
  const { rows } = await older.db.execute<{ name: string }>(
    `select c.relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname <> 'migrations' order by 1`,
  );
  expect(rows.length).toBeGreaterThan(50);
  for (const { name } of rows) await older.db.execute(`alter table ${name} add column added_later text`);
  await older.db.execute(`insert into migrations (timestamp, name) values (9999999999999, 'Later9999999999999')`);
  newer = await startBeside(older);
  migrating = false;
  await Promise.all(callers);
  await all();
  expect([...failed]).toEqual([]);
  const beside = scim(newer.url, older.tenant.scimToken);
  expect((await beside.get(`/Users/${id}`)).status).toBe(200);
  expect((await client(older.url, null).get('/readyz')).status).toBe(200);
});
