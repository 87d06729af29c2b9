import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse } from '../../support/house.js';
import { send } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { madeUser } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

long('counts what waits, what is parked and who is held of the own tenant, and has the newest event', async () => {
  const [at, other] = [await newHouse(service, { default_role: null }), await newHouse(service)];
  const { body: before } = await at.api.get('/status');
  expect(before).toMatchObject({ waiting: 0, oldest_waiting_since: null, estimated_end: null, parked: {}, held: {} });
  await madeUser(at.scim);
  await at.api.post('/users', { email: 'w@x.example', first_name: 'W', last_name: 'X' });
  const { body: parked } = await at.api.post('/users', { email: 'p@x.example', first_name: 'P', last_name: 'X' });
  await service.db.query(
    `update lanes set state = 'parked', parked_reason = 'refused', failed_at = now() where tenant_id = $1 and subject = $2`,
    [at.tenantId, parked.id],
  );
  const { status, body } = await at.api.get('/status');
  expect([status, body]).toMatchObject([
    200,
    {
      destination: { state: 'no_platform_yet', message: expect.any(String) },
      waiting: 1,
      oldest_waiting_since: expect.any(String),
      parked: { refused: 1 },
      held: { no_role: 1 },
      guard: { held: 0, directories: [] },
      last_event: { id: expect.stringMatching(/^evt_/), event: 'user.created' },
    },
  ]);
  expect((await other.api.get('/status')).body).toMatchObject({ waiting: 0, parked: {}, held: {} });
  const shown = await commandLine(service, at.apiKey)('status', '--json');
  expect(shown.json).toMatchObject({ platform: 'no_platform_yet', waiting: 1, parked: 1, held: 1 });
});

it('has the rate of the last minutes and the estimate that follows from it', async () => {
  const at = await newHouse(service);
  await service.db.query(
    `insert into delivered_minutes (tenant_id, channel, destination, minute, delivered)
     select $1, 'platform', 'main', date_trunc('minute', now()) - n * interval '1 minute', 10 from generate_series(0, 13) n`,
    [at.tenantId],
  );
  await madeUser(at.scim);
  const { body } = await at.api.get('/status');
  expect(body.waiting).toBe(1);
  expect(body.rate.last_5_minutes).toBeCloseTo(10);
  expect(body.rate.last_15_minutes).toBeCloseTo(9.3);
  expect(Date.parse(body.estimated_end as string)).toBeGreaterThan(Date.now());
});

long('answers under the names that the lists of tasks had first, which no document has', async () => {
  const [at, other] = [await newHouse(service), await newHouse(service)];
  expect(await at.api.get(`/directories/${at.directoryId}/jobs`)).toMatchObject({ status: 200, body: { data: [] } });
  expect((await other.api.get(`/directories/${at.directoryId}/jobs`)).status).toBe(404);
  expect(await at.api.get('/platform/jobs')).toMatchObject({ status: 200, body: { data: [] } });
  const { body } = await send('GET', `${service.url}/docs/openapi.json`, null);
  expect(Object.keys(body.paths as object).filter((path) => /(platform|directory_id\})\/jobs/.test(path))).toEqual([]);
});

it('lists the held users of one directory', async () => {
  const at = await newHouse(service, { default_role: null });
  const held = await madeUser(at.scim);
  const other = await service.newDirectory(at.tenantId);
  const ids = async (query: string) =>
    ((await at.api.get(`/held${query}`)).body.data as { user_id: string }[]).map(({ user_id }) => user_id);
  expect(await ids(`?directory=${at.directoryId}`)).toEqual([held]);
  expect(await ids(`?directory=${other.id}`)).toEqual([]);
});

it('lists the changes of a directory, an actor and a request', async () => {
  const at = await newHouse(service);
  const made = await at.scim.post('/Users', { schemas: [], userName: 'c@x.example' });
  const { body: one } = await at.api.post('/users', { email: 'd@x.example', first_name: 'D', last_name: 'X' });
  const ids = async (query: string) =>
    ((await at.api.get(`/changes${query}`)).body.data as { user_id: string }[]).map(({ user_id }) => user_id);
  expect(await ids(`?directory=${at.directoryId}`)).toEqual([made.body.id]);
  expect(await ids(`?actor=${at.directoryId}`)).toEqual([made.body.id]);
  expect(await ids(`?request_id=${made.headers.get('x-request-id')}`)).toEqual([made.body.id]);
  expect(await ids('')).toEqual([one.id, made.body.id]);
});
