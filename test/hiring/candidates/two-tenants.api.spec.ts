import { sharedApp, type TestApp } from '../../support/app.js';
import { candidate, eventsOf } from '../../support/candidates.js';
import { newHouse, type House } from '../../support/house.js';

// Two tenants with the same ids of their own: what one of them does, the other one never sees.
let service: TestApp;
let ours: House;
let theirs: House;
beforeAll(async () => {
  service = await sharedApp();
  ours = await newHouse(service);
  theirs = await newHouse(service);
});
afterAll(() => service.close());

const BODY = candidate({ external_id: 'twin', metadata: { job_opening_id: 'opening', ats_priority: 'high' } });
const OPENING = '/jobs/by-external-id/opening';

it('keeps equal external_ids of two tenants apart in every form of a write', async () => {
  const { id } = (await theirs.api.post('/candidates', BODY)).body;
  const before = (await theirs.api.get(`/candidates/${id}`)).text;
  const created = await ours.api.post('/candidates?if_exists=update', { ...BODY, first_name: 'Ours' });
  expect([created.status, created.body.id === id]).toEqual([201, false]);
  await ours.api.put('/candidates/by-external-id/twin', { ...BODY, first_name: 'Ours again' });
  await ours.api.patch(`/candidates/${id}`, { first_name: 'Ours' });
  await ours.api.delete(`/candidates/${id}`);
  expect((await theirs.api.get(`/candidates/${id}`)).text).toBe(before);
  expect(await eventsOf(service, theirs.tenantId, id)).toHaveLength(1);
  const filters = ['', '?external_id=twin', `?email=${BODY.email}`, '?ats_priority=high', '?updated_since=2020-01-01'];
  for (const filter of filters) {
    const { data } = (await ours.api.get(`/candidates${filter}`)).body;
    expect([filter, data.map((one: { id: string }) => one.id)]).toEqual([filter, [created.body.id]]);
  }
  expect((await ours.api.get('/resolve?type=candidate&external_id=twin')).body.id).toBe(created.body.id);
});

it('takes a title from an opening of the own tenant alone, by external_id and by id', async () => {
  const { id } = (await theirs.api.put(OPENING, { title: 'Their title' })).body;
  const titled = async (opening: string) =>
    (await ours.api.post('/candidates', candidate({ metadata: { job_opening_id: opening } }))).body.job_title;
  expect([await titled('opening'), await titled(id)]).toEqual([null, null]);
  const own = await ours.api.put(OPENING, { title: 'Our title' });
  expect([own.status, await titled('opening')]).toEqual([201, 'Our title']);
  expect((await theirs.api.get('/candidates?external_id=twin')).body.data[0].job_title).toBe('Their title');
  expect((await ours.api.delete(`/jobs/${id}`)).status).toBe(404);
  expect((await ours.api.get(`/jobs/${id}`)).status).toBe(404);
  expect((await ours.api.get('/jobs')).body.data).toHaveLength(1);
  expect((await ours.api.get('/resolve?type=job&external_id=opening')).body.id).toBe(own.body.id);
});

it('follows no merge of another tenant', async () => {
  const { id } = (await theirs.api.post('/candidates', candidate())).body;
  await service.db.query(
    `insert into candidate_tombstones (tenant_id, candidate_id, external_id, merged_into, sequence, gone_at)
     values ($1, 'cand_merged', 'merged', $2, 2, now())`,
    [theirs.tenantId, id],
  );
  expect((await theirs.api.get('/resolve?type=candidate&external_id=merged')).body.id).toBe(id);
  expect((await ours.api.get('/resolve?type=candidate&external_id=merged')).body.found).toBe(false);
});
