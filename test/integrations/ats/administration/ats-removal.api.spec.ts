import { TasksRepository } from '../../../../src/engine/work/tasks.repository.js';
import { systemActor } from '../../../../src/tenancy/identity/person.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectLever, until, type Connected } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';
import { patience } from '../../../support/speed.js';

let service: TestApp;
let lever: LeverSimulator;
/** Another account of Lever. */
let second: LeverSimulator;

beforeAll(async () => {
  [lever, second] = await Promise.all([startLever({ rateFactor: 1_000 }), startLever({ rateFactor: 1_000 })]);
  service = await startApp();
});
afterAll(async () => {
  await service.close();
  await Promise.all([lever.close(), second.close()]);
});

const path = ({ connectionId }: Connected): string => `/ats-connections/${connectionId}`;
// What was done stays: changes in the audit log, attempts until their retention, tasks.
const HISTORY = ['attempts', 'destinations', 'ats_authorizations'];

/** How many rows of each table name a connection. */
async function rowsOf({ connectionId }: Connected): Promise<Record<string, number>> {
  const { rows: places } = await service.db.query<{ name: string; field: string }>(
    `select c.table_name as name, c.column_name as field from information_schema.columns c
     join pg_class k on k.relname = c.table_name and k.relkind in ('r', 'p') and not k.relispartition
     where c.table_schema = current_schema() and c.data_type = 'text'
       and (c.column_name in ('connection_id', 'ats_connection_id', 'destination') or c.table_name = 'ats_connections' and c.column_name = 'id')`,
    [],
  );
  expect(places.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ats_records', 'ats_events', 'ats_writes', 'candidates', 'lanes']),
  );
  const found: Record<string, number> = {};
  for (const { name, field } of places.filter(({ name: one }) => !HISTORY.includes(one))) {
    const { rows } = await service.db.query<{ n: number }>(
      `select count(*)::int as n from ${name} where ${field} = $1`,
      [connectionId],
    );
    if (rows[0]!.n > 0) found[name] = rows[0]!.n;
  }
  return found;
}

/** A connection with a candidate, an interview whose link is written or waits, and webhooks that were received. */
async function used(sim = lever, house?: Connected): Promise<Connected> {
  const person = sim.add.opportunity({ posting: sim.add.posting().id, silent: true });
  const ats = await connectLever(service, sim, { writes: { as_user: sim.add.user().id } }, house);
  const own = (await ats.candidates()).filter((one) => String(one['external_id']).endsWith(person.id));
  const mine = own.at(-1)!;
  const times = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' };
  expect((await ats.api.post(`/candidates/${String(mine['id'])}/interviews`, times)).status).toBe(201);
  await ats.tell('candidateStageChange', { opportunityId: person.id });
  await ats.settled();
  await until(async () => {
    const { body } = await ats.api.get(path(ats));
    const { body: waiting } = await ats.api.get(`${path(ats)}/writes?state=waiting`);
    return body.webhook.made.length === 5 && waiting.data.length === 0 && !('lanes' in (await rowsOf(ats)));
  });
  return ats;
}

const end = async (ats: Connected): Promise<void> => {
  expect((await ats.api.post(`${path(ats)}/disconnect`)).status).toBe(200);
  expect((await ats.api.delete(path(ats))).status).toBe(204);
};

long('removes all rows of a connection, and none of another one', async () => {
  const gone = await used();
  const stays = await used(second, gone);
  const before = await rowsOf(stays);
  expect(Object.keys(await rowsOf(gone))).toEqual(
    expect.arrayContaining(
      ['candidates', 'records', 'events', 'event_keys', 'writes', 'tokens', 'token_hashes', 'paces'].map((name) =>
        name === 'candidates' ? name : `ats_${name}`,
      ),
    ),
  );
  await end(gone);
  await until(async () => Object.keys(await rowsOf(gone)).filter((name) => name !== 'lanes').length === 0);
  expect(await rowsOf(stays)).toEqual(before);
  expect((await stays.tell('candidateHired', { opportunityId: 'x' })).status).toBe(200);
  expect((await gone.tell('candidateHired', { opportunityId: 'x' })).status).toBe(401);
  expect((await stays.api.post(`${path(stays)}/test`)).body).toMatchObject({ ok: true });
});

long('removes a connection with 100 000 records in steps, without a wait for others', async () => {
  const ats = await connectLever(service, lever);
  const key = [ats.tenantId, ats.connectionId];
  await service.db.query(
    `insert into ats_records (tenant_id, connection_id, kind, remote_id, record_id, state, changed_at, brought_by)
     select $1, $2, 'candidate', 'r' || n, 'cand_' || n, 'live', now(), 'poll' from generate_series(1, 100000) n`,
    key,
  );
  await service.db.query(
    `insert into ats_events (tenant_id, connection_id, id, at, state, body)
     select $1, $2, 'aev_' || lpad(n::text, 8, '0'), now(), 'applied', 'x' from generate_series(1, 20000) n`,
    key,
  );
  const began = performance.now();
  await end(ats);
  expect(performance.now() - began).toBeLessThan(patience(5_000));
  // A candidate of the tenant is written while rows go.
  let longest = 0;
  let made = 0;
  await until(async () => {
    const from = performance.now();
    const body = { email: `a${++made}@e.com`, first_name: 'A', last_name: 'B', external_id: `own${made}` };
    expect((await ats.api.post('/candidates', body)).status).toBe(201);
    longest = Math.max(longest, performance.now() - from);
    return !('ats_records' in (await rowsOf(ats)));
  }, patience(60_000));
  expect(longest).toBeLessThan(patience(3_000));
  await until(async () => Object.keys(await rowsOf(ats)).filter((name) => name !== 'lanes').length === 0);
});

long('leaves records with a connection that was connected again meanwhile', async () => {
  const ats = await used();
  const tasks = service.app.nest.get(TasksRepository);
  const { id } = await tasks.add(service.db, ats.tenantId, {
    kind: 'ats.release',
    payload: { connectionId: ats.connectionId },
    createdBy: systemActor('ats'),
  });
  await until(async () => (await ats.api.get(`/tasks/${id}`)).body.state === 'done');
  const [mine] = await ats.candidates();
  const changed = await ats.api.patch(`/candidates/${String(mine!['id'])}`, { last_name: 'Ours' });
  expect(changed.body.code).toBe('managed_by_ats');
});
