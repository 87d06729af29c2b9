import { randomBytes } from 'node:crypto';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse } from '../../support/house.js';
import { Retention } from '../../../src/operations/retention.js';
import { EndpointStore } from '../../../src/integrations/webhooks/endpoint.store.js';
import { long } from '../../support/rounds.js';
import { receiver, type Receiver } from './support/receiver.js';

let service: TestApp;
let hook: Receiver;
const key = (): string => randomBytes(32).toString('base64');
const [first, second] = [key(), key()];
beforeAll(async () => {
  [service, hook] = await Promise.all([startApp({ ENCRYPTION_KEY: first }), receiver()]);
});
afterAll(async () => {
  await hook.close();
  await service.close();
});

long('neither sends unsigned nor refuses a write when no key opens the secret', async () => {
  const house = await newHouse(service);
  const { id } = (await house.api.post('/webhooks', { url: hook.url })).body as { id: string };
  const other = await startApp({ ENCRYPTION_KEY: second }, service);
  try {
    const there = await other.app.nest.get(EndpointStore).get(house.tenantId, id);
    expect(there).toMatchObject({ secrets: [], unreadable: true });
  } finally {
    await other.close();
  }
});

long('knows a new, a changed and a removed endpoint at once on every process', async () => {
  const house = await newHouse(service);
  const other = await startApp({ ENCRYPTION_KEY: first }, service);
  try {
    const store = other.app.nest.get(EndpointStore);
    expect(await store.of(house.tenantId)).toEqual([]);
    const { id, secret } = (await house.api.post('/webhooks', { url: hook.url })).body as {
      id: string;
      secret: string;
    };
    expect(await store.get(house.tenantId, id)).toMatchObject({ secrets: [secret], events: null });
    await house.api.patch(`/webhooks/${id}`, { events: ['job.synced'] });
    expect(await store.get(house.tenantId, id)).toMatchObject({ events: ['job.synced'] });
    const next = (await house.api.post(`/webhooks/${id}/rotate-secret`, {})).body as { secret: string };
    expect((await store.get(house.tenantId, id))!.secrets).toEqual([next.secret, secret]);
    await house.api.delete(`/webhooks/${id}`);
    expect(await store.of(house.tenantId)).toEqual([]);
  } finally {
    await other.close();
  }
});

it('removes messages for an endpoint that was removed before them', async () => {
  const house = await newHouse(service);
  const { id } = (await house.api.post('/webhooks', { url: hook.url })).body as { id: string };
  await house.api.delete(`/webhooks/${id}`);
  await service.db.query(
    `insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, first_pending,
       last_pending, pending_since)
     values ($1, 'webhook', $2, 'evt_0000000000000001', 'due', 'active', '', 1, 1, 1, now())`,
    [house.tenantId, id],
  );
  await service.db.query(
    `insert into webhook_given_up (tenant_id, endpoint_id, sequence, at, event, reason)
     values ($1, $2, 1, now(), 'job.synced', 'status_500')`,
    [house.tenantId, id],
  );
  await service.app.nest.get(Retention).run();
  const { rows } = await service.db.query<{ n: number }>(
    `select (select count(*) from lanes where tenant_id = $1 and destination = $2)::int
       + (select count(*) from webhook_given_up where tenant_id = $1 and endpoint_id = $2)::int as n`,
    [house.tenantId, id],
  );
  expect(rows[0]!.n).toBe(0);
});
