import { createHmac } from 'node:crypto';
import { SERVICE_ROLE } from '../../../src/base/database/service-role.js';
import { AtsWritesRepository } from '../../../src/integrations/ats/publish/ats-writes.repository.js';
import { startApp, type TestApp } from '../../support/app.js';
import { until } from '../../support/ats.js';
import { newHouse, type House } from '../../support/house.js';
import { PlanRecorder } from '../../support/plans.js';

// One connection with 100 000 events, records, runs and writes beside 1 000 small ones: what the service runs about ATSs is
// judged by the plan that it had and the rows that it read.
const BIG = 100_000;
const SMALL = new Set([
  'installation',
  'work_entries',
  'service_keys',
  'chain_keys',
  'storage_probe',
  'population_steps',
  'processes',
]);

let recorder: PlanRecorder;
let service: TestApp;
let house: House;
let id: string;
const token = 'whk_7d1f0c3e9b5a4826aa58c60b1e94f3d2';

beforeAll(async () => {
  recorder = new PlanRecorder(SERVICE_ROLE);
  service = await startApp({}, undefined, { prepare: (database) => PlanRecorder.settings(database) });
  house = await newHouse(service);
  const made = await house.api.post('/ats-connections', { provider: 'ashby', api_token: token, signing_secret: token });
  id = made.body.id as string;
  await fill(`'${house.tenantId}'`, `'${id}'`, `generate_series(1, ${BIG}) n`, 'n');
  await fill(`'ten_s' || n`, `'ats_s' || n`, 'generate_series(1, 1000) n', 'n');
  await service.db.execute('analyze ats_events, ats_event_keys, ats_open_events, ats_records, ats_runs, ats_writes');
}, 120_000);
afterAll(async () => {
  recorder.stop();
  await service.close();
});

async function fill(tenant: string, connection: string, rows: string, n: string): Promise<void> {
  const counted = `lpad((${n})::text, 8, '0')`;
  for (const text of [
    `insert into ats_events (tenant_id, connection_id, id, at, name, kind, remote_id, state, reason, body)
     select ${tenant}, ${connection}, 'aev_' || ${counted}, now(), 'x', 'candidate', 'r' || n % 5000,
       case when n % 50 = 0 then 'failed' when n % 1000 = 1 then 'dismissed' else 'applied' end, null, '{}' from ${rows}`,
    `insert into ats_open_events (tenant_id, connection_id, failed, id, at, bytes)
     select ${tenant}, ${connection}, true, 'aev_' || ${counted}, now(), 2 from ${rows} where n % 50 = 0`,
    `insert into ats_event_keys (tenant_id, connection_id, key, at)
     select ${tenant}, ${connection}, sha256(n::text::bytea), date_trunc('month', now(), 'UTC') from ${rows}`,
    `insert into ats_records (tenant_id, connection_id, kind, remote_id, record_id, state, survivor_id, changed_at, brought_by)
     select ${tenant}, ${connection}, 'candidate', 'r' || n, 'cand_' || n, 'live', null, now() - n * interval '1 minute',
       'import' from ${rows}`,
    `insert into ats_runs (tenant_id, connection_id, id, reason, is_full, state, counts, left_out, started_at)
     select ${tenant}, ${connection}, 'run_' || ${counted}, 'scheduled', false, 'done', '{}', '[]', now() from ${rows}`,
    `insert into ats_writes (tenant_id, id, connection_id, candidate_id, interview_id, kind, action, revision, state, marker)
     select ${tenant}, 'awr_' || ${counted}, ${connection}, 'cand_' || n % 20000, 'int_' || n, 'note', 'write', 1,
       case when n % 20 = 0 then 'waiting' else 'written' end, 'm' from ${rows}`,
  ]) {
    await service.db.execute(`set statement_timeout = 0; ${text}; set statement_timeout = 15000`);
  }
}

async function ok(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 300)}`);
}

it('reads no table whole and sorts no more than a page: events, lists, progress, writes', async () => {
  const at = `/ats-connections/${id}`;
  const { faults, ran } = await recorder.faultsDuring(async () => {
    const url = `${service.url}/api/webhooks/ashby?api_token=${token}`;
    const send = (body: string) => {
      const signature = createHmac('sha256', token).update(body).digest('hex');
      return fetch(url, { method: 'POST', body, headers: { 'ashby-signature': `sha256=${signature}` } });
    };
    for (let i = 0; i < 20; i++) {
      const job = `{"id":"new${i}","title":"T","status":"Open"}`;
      await send(`{"action":"jobCreate","data":{"job":${job}}}`);
      const candidate = `{"id":"new${i}","name":"Ana Cruz","primaryEmailAddress":{"value":"a${i}@x.example"}}`;
      const application = `{"id":"a${i}","updatedAt":"2026-01-01T00:00:00Z","status":"Active","candidate":${candidate},"job":${job}}`;
      await send(`{"action":"applicationSubmit","data":{"application":${application}}}`);
      const gone = `{"deletedCandidate":{"id":"r${i}"},"mergedCandidate":{"id":"new${i}"}}`;
      await send(`{"action":"candidateMerge","data":${gone}}`);
    }
    await until(async () => (await house.api.get(`${at}/events?state=waiting`)).body.data.length === 0);
    for (const below of [
      '/runs?limit=50', '/events?limit=50', '/events?limit=50&state=failed', '/events?limit=50&state=waiting',
      '/events?limit=50&remote_id=r77', '/writes?limit=50', '/writes?limit=50&state=waiting', '',
    ]) await ok(house.api.get(at + below)); // prettier-ignore
    await ok(house.api.get('/ats-connections'));
    await ok(house.api.post(`${at}/events/retry`, {}));
    const writes = service.app.nest.get(AtsWritesRepository, { strict: false });
    for (let i = 0; i < 6; i++) await writes.next(house.tenantId, id, `cand_${i * 20}`);
    const [candidate] = (await house.api.get('/candidates?external_id=as_new1')).body.data;
    if (candidate === undefined) throw new Error('the candidate was not brought in');
    await house.api.patch(`/candidates/${candidate.id}`, { last_name: 'Other' });
  }, SMALL);
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(20);
}, 120_000);
