import { request } from 'node:http';
import { once } from 'node:events';
import { sharedApp, type TestApp, type TestTenant } from '../support/app.js';
import { client, eventually } from '../support/http.js';
import { long } from '../support/rounds.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

/** A sealed ledger of a tenant: one claim a day from a day on, with a limit set at the first. */
async function ledger(tenant: TestTenant, from: string, days: number): Promise<void> {
  await service.db.execute(
    `insert into seat_entries (tenant_id, kind, user_id, delta, reason, source, details, occurred_at, sequence, count_after,
       effective_at, previous_hash, hash)
     select $1, case when i = 0 then 'limit' else 'claim' end, case when i > 0 then 'usr_' || lpad(i::text, 26, '0') end,
       least(i, 1), 'test', '{}', case when i = 0 then '{"limit": 7, "policy": {}}'::jsonb end,
       $2::date + i * interval '1 day', i + 1, i, $2::date + i * interval '1 day' + interval '12 hours', '\\x00', '\\x00'
     from generate_series(0, $3::int) i`,
    [tenant.tenantId, from, days],
  );
  await service.db.query(
    `insert into chain_heads (tenant_id, chain, sequence, count, hash, sealed_through) values ($1, 'seats', $2, $3, '\\x00', now())
     on conflict (tenant_id, chain) do update set sequence = excluded.sequence, count = excluded.count`,
    [tenant.tenantId, days + 1, days],
  );
}

long('reports a range of any length, over several batches of days and entries', async () => {
  const tenant = await service.newTenant();
  const api = client(`${service.url}/api/v1`, tenant.apiKey);
  await ledger(tenant, '2015-01-01', 3000);
  const { status, body } = await api.get('/seats/usage?from=2014-12-30&to=2024-01-01');
  expect(status).toBe(200);
  expect(body.data).toHaveLength(3289);
  expect(new Set(body.data.map(({ day }: { day: string }) => day)).size).toBe(3289);
  expect(body.data[0]).toMatchObject({ day: '2014-12-30', peak: null, end: null, distinct_holders: null, limit: null });
  expect(body.data[2]).toMatchObject({ day: '2015-01-01', end: 0, limit: 7 });
  expect(body.data[12]).toMatchObject({ day: '2015-01-11', peak: 10, average: 9.5, end: 10, distinct_holders: 10 });
  expect(body.data.at(-1)).toMatchObject({
    day: '2023-12-31',
    peak: 3000,
    end: 3000,
    distinct_holders: 3000,
    limit: 7,
  });
  // The same days, begun in the middle: what came before is read as a whole.
  const later = (await api.get('/seats/usage?from=2015-01-11&to=2015-01-13')).body.data;
  expect(later).toEqual(body.data.slice(12, 14));
  const csv = (await api.get('/seats/usage?from=2014-12-30&to=2024-01-01&format=csv')).text.trimEnd().split('\r\n');
  expect([csv.length, csv[0], csv[13]]).toEqual([
    3290,
    'day,peak,average,end,distinct_holders,limit,final',
    '2015-01-11,10,9.5,10,10,7,true',
  ]);
});

it('keeps no connection of the database when a client stops reading an export', async () => {
  const tenant = await service.newTenant();
  // A hundred years are more than the network takes in advance.
  const asked = request(`${service.url}/api/v1/seats/usage?from=1950-01-01&to=2049-12-31`, {
    headers: { authorization: `Bearer ${tenant.apiKey}` },
  });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
  answer.pause();
  await eventually(
    async () => service.db.counts(),
    ({ total, idle, waiting }) => total === idle && waiting === 0,
  );
  asked.destroy();
  // And the service still answers.
  expect((await client(`${service.url}/api/v1`, tenant.apiKey).get('/seats')).status).toBe(200);
});
