import { MIGRATIONS } from '../../../src/base/database/migrations.js';
import { startApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse, type House } from '../../support/house.js';
import { client, eventually, send, type Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';

let service: TestApp;
let operator: Client;
let house: House;
beforeAll(async () => {
  service = await startApp();
  operator = client(`${service.url}/api/v1`, service.operatorToken);
  house = await newHouse(service);
});
afterAll(() => service.close());

const wait = (tenantId: string, subject: string, rank: number, minutes: number, channel = 'platform') =>
  service.db.query(
    `insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, first_pending,
       last_pending, pending_since)
     values ($1, $5, 'main', $2, 'due', 'active', '{"email":"anna@x.example"}', $3, 1, 1, now() - $4 * interval '1 minute')`,
    [tenantId, subject, rank, minutes, channel],
  );

it('shows this process, and the migrations that have run', async () => {
  const { status, body } = await eventually(
    () => operator.get('/installation'),
    (answer) => answer.body.processes.length > 0,
  );
  expect(status).toBe(200);
  expect(body.processes).toEqual([
    {
      name: expect.stringMatching(/:\d+$/),
      role: 'all',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      started_at: expect.any(String),
      last_seen_at: expect.any(String),
    },
  ]);
  expect(body.migrations[0]).toBe(MIGRATIONS.at(-1)!.name);
});

it('shows the tenants whose changes wait longest, each with its oldest change, and no user', async () => {
  const other = await newHouse(service);
  await wait(house.tenantId, 'usr_1', 1, 2);
  await wait(house.tenantId, 'usr_2', 2, 9);
  await wait(other.tenantId, 'usr_3', 0, 5);
  await wait(other.tenantId, 'evt_1', 1, 500, 'webhook');
  const { body, text } = await operator.get('/installation');
  const minutes = (since: string) => Math.round((Date.now() - Date.parse(since)) / 60_000);
  expect(
    body.lag.map((one: { tenant_id: string; waiting: number; oldest_waiting_since: string }) => [
      one.tenant_id,
      one.waiting,
      minutes(one.oldest_waiting_since),
    ]),
  ).toEqual([
    [house.tenantId, 2, 9],
    [other.tenantId, 1, 5],
  ]);
  expect(text).not.toMatch(/usr_|anna/);
  const shown = await commandLine(service, service.operatorToken)('installation', 'show', '--json');
  expect(shown.json).toMatchObject({ lag: [{ tenant_id: house.tenantId }, { tenant_id: other.tenantId }] });
});

long('forgets a process that was not seen for a day, and one that ends', async () => {
  await service.db.query(
    `insert into processes (id, name, role, version, seen_at) values
       (gen_random_uuid(), 'gone:1', 'all', '0.0.1', now() - interval '25 hours'),
       (gen_random_uuid(), 'silent:1', 'all', '0.0.1', now() - interval '23 hours')`,
  );
  const second = await startApp({}, service);
  const names = async (): Promise<string[]> =>
    (await operator.get('/installation')).body.processes.map(({ name }: { name: string }) => name);
  await eventually(names, (found) => found.length === 3 && !found.includes('gone:1'));
  await second.close();
  expect(await names()).toHaveLength(2);
});

it('is for the operator alone', async () => {
  expect((await house.api.get('/installation')).body.code).toBe('operator_only');
  expect((await send('GET', `${service.url}/api/v1/installation`, null)).status).toBe(401);
});
