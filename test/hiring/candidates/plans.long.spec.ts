import { SERVICE_ROLE } from '../../../src/base/database/service-role.js';
import { startApp, type TestApp } from '../../support/app.js';
import { candidate } from '../../support/candidates.js';
import { newHouse, type House } from '../../support/house.js';
import { PlanRecorder } from '../../support/plans.js';

// One tenant of 100 000 candidates and 5 000 openings beside 500 small ones, in tables that have been analysed.
const BIG = 100_000;
const SEED = `
  create temporary table seeded as
    select '%s' as tenant, 'big' as tag, ${BIG} as n union all
    select 'ten_small' || lpad(t::text, 6, '0'), 'small' || t, 20 from generate_series(1, 500) t;
  insert into tenants (id, name) select tenant, tag from seeded on conflict do nothing;
  insert into candidates (tenant_id, id, external_id, email, email_key, first_name, last_name, job_title, job_title_set,
      metadata, job_opening_id, ats_priority, sequence, created_at, updated_at)
    select tenant, 'cand_' || tag || lpad(i::text, 8, '0'), tag || '-' || i, e, e, 'G', 'F', null, false, '{}',
      'job-' || i % 5000, case when i % 10 = 0 then 'high' when i % 9000 = 1 then 'rare' end, 1, at, at
    from seeded, generate_series(1, n) i, lateral (select tag || '-' || i || '@example.com' as e,
      now() - (${BIG} - i) * interval '1 second' as at) x;
  insert into job_openings (tenant_id, id, external_id, ats, title, status, opened_at, sequence, created_at, updated_at)
    select tenant, 'job_' || tag || lpad(i::text, 8, '0'), 'job-' || i, case when i % 500 = 0 then 'rare' else 'gh' end, 'T',
      case when i % 100 = 0 then 'draft' else 'open' end, at, 1, at, at
    from seeded, generate_series(0, n / 20) i, lateral (select now() - (${BIG} - i) * interval '1 second' as at) x;
  insert into candidate_tombstones (tenant_id, candidate_id, external_id, sequence, gone_at)
    select tenant, 'cand_gone' || i, 'gone-' || i, 2, now() from seeded, generate_series(1, n / 4) i;
  insert into events (tenant_id, event, record, data)
    select tenant, 'candidate.created', 'cand_' || tag || lpad(i::text, 8, '0'), '{"id":"x","sequence":1}'
    from seeded, generate_series(1, n) i;
  analyze candidates; analyze job_openings; analyze candidate_tombstones; analyze events; analyze tenants;
  drop table seeded`;

let recorder: PlanRecorder;
let service: TestApp;
let house: House;
beforeAll(async () => {
  recorder = new PlanRecorder(SERVICE_ROLE);
  service = await startApp({}, undefined, { prepare: (database) => PlanRecorder.settings(database) });
  house = await newHouse(service);
  await service.db.execute(`set statement_timeout = 0; ${SEED.replace('%s', house.tenantId)}`);
}, 300_000);
afterAll(async () => {
  recorder.stop();
  await service.close();
});

async function ok(answer: Promise<{ status: number; text: string }>, status = 200): Promise<void> {
  const { status: found, text } = await answer;
  if (found !== status) throw new Error(`${found} in place of ${status}: ${text.slice(0, 400)}`);
}

/** Tables with rows for the installation, for the few tenants of this database, and one of tasks that are over. */
const SMALL = new Set(['installation', 'work_entries', 'service_keys', 'chain_keys', 'storage_probe', 'population_steps', 'tenants',
  'seat_limits', 'directories', 'destinations', 'tasks', 'roles', 'scim_tokens', 'api_keys', 'chain_heads']); // prettier-ignore

const since = (seconds: number) => encodeURIComponent(new Date(Date.now() - seconds * 1000).toISOString());

it('reads no table whole and sorts no more than a page: candidates', async () => {
  const { api } = house;
  const { faults, ran } = await recorder.faultsDuring(async () => {
    for (let i = 0; i < 4; i++) {
      const body = candidate({ metadata: { job_opening_id: `job-${i}`, ats_priority: 'high' } });
      const made = await api.post('/candidates', body);
      await ok(api.post('/candidates', body), 409);
      await ok(api.post('/candidates?if_exists=update', { ...body, first_name: 'N' }));
      const at = `/candidates/${made.body.id}`;
      await ok(api.get(at));
      await ok(api.patch(at, { last_name: 'N' }));
      await ok(api.patch(at, { metadata: { job_opening_id: `job-${i + 1}` } }));
      await ok(api.put(`/candidates/by-external-id/big-${i + 1}`, candidate({ external_id: `big-${i + 1}` })));
      await ok(api.delete(at), 204);
      await ok(api.delete(`/candidates/cand_big0000900${i}`), 204);
      await ok(api.get(`/resolve?type=candidate&external_id=big-${5000 + i}`));
      await ok(api.get(`/resolve?type=candidate&external_id=gone-${5000 + i}`));
    }
    for (const filter of [
      '', '&email=BIG-77000@example.com', '&external_id=big-77000', '&ats_priority=high', '&ats_priority=rare',
      `&updated_since=${since(60)}`, `&updated_since=${since(50_000)}`, `&ats_priority=rare&updated_since=${since(60)}`, `&ats_priority=high&updated_since=${since(60)}`,
      '&email=none@example.com', '&ats_priority=none', '&external_id=none',
    ]) {
      const first = await api.get(`/candidates?limit=50${filter}`);
      await ok(Promise.resolve(first));
      if (first.body.next_cursor !== null) await ok(api.get(`/candidates?limit=50${filter}&cursor=${first.body.next_cursor}`));
    } // prettier-ignore
  }, SMALL);
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(20);
});

it('reads no table whole and sorts no more than a page: job openings', async () => {
  const { api } = house;
  const { faults, ran } = await recorder.faultsDuring(async () => {
    for (let i = 0; i < 4; i++) {
      await ok(api.put(`/jobs/by-external-id/job-${i + 10}`, { title: `Renamed ${i}` }));
      await ok(api.put(`/jobs/by-external-id/new-${i}`, { title: 'New' }), 201);
      await ok(api.get(`/jobs/job_big0000002${i}`));
      await ok(api.delete(`/jobs/job_big0000002${i}`), 204);
      await ok(api.get(`/resolve?type=job&external_id=job-${i}`));
    }
    for (const filter of ['', '&status=open', '&status=draft', '&status=closed', '&ats=rare', '&ats=none',
      '&external_id=job-9', `&updated_since=${since(60)}`, '&ats=rare&status=draft']) {
      await ok(api.get(`/jobs?limit=50${filter}`));
    } // prettier-ignore
  }, SMALL);
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(15);
});
