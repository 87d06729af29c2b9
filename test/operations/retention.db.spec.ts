import { Retention } from '../../src/operations/retention.js';
import { startApp, type TestApp } from '../support/app.js';
import { newHouse } from '../support/house.js';
import { madeGroup, madeUser } from '../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ ROLE: 'api', RETENTION_LOGS: '90', RETENTION_ATTEMPTS: '30' });
});
afterAll(() => service.close());

const partitions = async (table: string): Promise<string[]> => {
  const { rows } = await service.db.execute<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     join pg_class p on p.oid = i.inhparent where p.relname = $1 order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
};
const month = (later: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later, 1))
    .toISOString()
    .slice(0, 7)
    .replace('-', '_');
};

it.each(['attempts', 'sign_ins', 'requests', 'request_bodies'])(
  '%s: makes the next months, and drops only months that are too old',
  async (table) => {
    const old = month(-8);
    const [year, number] = old.split('_').map(Number) as [number, number];
    const first = (of: number): string => new Date(Date.UTC(year, of - 1, 1)).toISOString();
    await service.db.execute(
      `create table ${table}_${old} partition of ${table} for values from ('${first(number)}') to ('${first(number + 1)}')`,
    );
    expect(await partitions(table)).toContain(`${table}_${old}`);
    await service.app.nest.get(Retention).run();
    expect(await partitions(table)).toEqual([`${table}_${month(0)}`, `${table}_${month(1)}`, `${table}_default`]);
  },
);

it('events: keeps the position after which a consumer of a tenant has missed events', async () => {
  const [at, other] = [await newHouse(service), await newHouse(service)];
  const old = `${month(-9).replace('_', '-')}-15`;
  await service.db.execute(`select make_month('events', '${old}')`);
  const { rows } = await service.db.execute<{ sequence: string }>(
    `insert into events (tenant_id, at, event, data) select '${at.tenantId}', '${old}', 'domain.lost', '{}'
     from generate_series(1, 3) returning sequence`,
  );
  await service.app.nest.get(Retention).run();
  expect(await partitions('events')).toEqual([`events_${month(0)}`, `events_${month(1)}`, 'events_default']);
  const oldest = `evt_${rows[2]!.sequence.padStart(16, '0')}`;
  const missed = await at.api.get(`/events?after=evt_${rows[1]!.sequence.padStart(16, '0')}`);
  expect([missed.status, missed.body.oldest]).toEqual([410, oldest]);
  expect((await at.api.get(`/events?after=${oldest}`)).status).toBe(200);
  expect((await at.api.get('/events?after=')).status).toBe(200);
  expect((await other.api.get(`/events?after=${oldest}`)).status).toBe(200);
});

it('ends messages of a paused endpoint with their events', async () => {
  const at = await newHouse(service);
  const { body } = await at.api.post('/webhooks', { url: 'http://127.0.0.1:9999/hook' });
  await at.api.post(`/webhooks/${body.id}/pause`);
  await service.db.query(`insert into event_floors (tenant_id, sequence) values ($1, 10)`, [at.tenantId]);
  await service.db.query(
    `insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, first_pending,
       last_pending, pending_since)
     select $1, 'webhook', $2, 'evt_' || n, 'due', 'active', '', 1, n, n, now() from generate_series(9, 12) n`,
    [at.tenantId, body.id],
  );
  await service.app.nest.get(Retention).run();
  const { rows } = await service.db.query(`select subject from lanes where tenant_id = $1 order by first_pending`, [
    at.tenantId,
  ]);
  expect(rows).toEqual([{ subject: 'evt_11' }, { subject: 'evt_12' }]);
});

it('deletes expired rows, and keeps rows that can still be requested', async () => {
  const { tenantId } = service.tenant;
  await service.db.execute(
    `insert into used_messages (tenant_id, connection_id, message_id, until) values
       ('${tenantId}', 'con_1', 'over', now() - interval '1 minute'), ('${tenantId}', 'con_1', 'still', now() + interval '1 minute')`,
  );
  await service.app.nest.get(Retention).run();
  const { rows } = await service.db.execute<{ message_id: string }>(`select message_id from used_messages`);
  expect(rows).toEqual([{ message_id: 'still' }]);
});

it('ends messages that were given up with the month of their event', async () => {
  const { tenantId } = service.tenant;
  await service.db.execute(
    `insert into webhook_endpoints (tenant_id, id, url, form, ordered, created_by)
     values ('${tenantId}', 'whk_1', 'https://x.example/', 'source', false, '{}')`,
  );
  await service.db.execute(
    `insert into webhook_given_up (tenant_id, endpoint_id, sequence, at, event, reason) values
       ('${tenantId}', 'whk_1', 1, '${month(-9).replace('_', '-')}-15', 'domain.lost', 'timeout'),
       ('${tenantId}', 'whk_1', 2, now(), 'domain.lost', 'timeout'),
       ('${tenantId}', 'whk_gone', 3, now(), 'domain.lost', 'timeout')`,
  );
  await service.app.nest.get(Retention).run();
  const { rows } = await service.db.execute<{ sequence: string }>(`select sequence from webhook_given_up`);
  expect(rows).toEqual([{ sequence: '2' }]);
});

it('ends the keys of a user with the user, also when both change at once', async () => {
  const { tenantId } = service.tenant;
  await service.db.execute(
    `insert into api_keys (tenant_id, id, name, prefix, hash, scopes, owner_kind, owner_user_id, created_by) values
       ('${tenantId}', 'key_gone', 'k', 'p', 'gone', '{}', 'person', 'usr_gone', '{}'),
       ('${tenantId}', 'key_service', 'k', 'p', 'service', '{}', 'service', null, '{}')`,
  );
  await service.app.nest.get(Retention).run();
  const { rows } = await service.db.execute<{ id: string }>(
    `select id from api_keys where id in ('key_gone', 'key_service') and revoked_at is null`,
  );
  expect(rows).toEqual([{ id: 'key_service' }]);
});

it('ends members that have been pending for 90 days', async () => {
  const at = await newHouse(service);
  const id = await madeGroup(at.scim, ['usr_old', 'usr_new']);
  await service.db.query(
    `update pending_members set since = now() - interval '91 days' where tenant_id = $1 and member_id = 'usr_old'`,
    [at.tenantId],
  );
  await service.app.nest.get(Retention).run();
  const { rows } = await service.db.query(`select group_id, member_id from pending_members where tenant_id = $1`, [
    at.tenantId,
  ]);
  expect(rows).toEqual([{ group_id: id, member_id: 'usr_new' }]);
});

it('removes departures that the guard counts no more', async () => {
  const at = await newHouse(service, { guard: 'on' });
  const [old, late] = [await madeUser(at.scim), await madeUser(at.scim)];
  for (const id of [old, late]) await at.scim.delete(`/Users/${id}`);
  await service.db.query(
    `update guard_departures set went_at = now() - interval '25 hours' where tenant_id = $1 and user_id = $2`,
    [at.tenantId, old],
  );
  await service.app.nest.get(Retention).run();
  const { rows } = await service.db.query(`select user_id from guard_departures where tenant_id = $1`, [at.tenantId]);
  expect(rows).toEqual([{ user_id: late }]);
});
