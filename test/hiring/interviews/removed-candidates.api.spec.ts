import { DomainEvents } from '../../../src/base/domain-events.js';
import { CandidateRemoved } from '../../../src/hiring/candidates/candidates.errors.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { candidate, eventsOf } from '../../support/candidates.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const PLAN = { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T13:45:00Z' };
const person = async (h: House = house) => (await h.api.post('/candidates', candidate())).body;
const interview = async (id: string, h: House = house) =>
  (await h.api.post(`/candidates/${id}/interviews`, { ...PLAN, interviewers: ['Ada'] })).body;

it('removes interviews and scorecards of an erased candidate; their events have ids alone', async () => {
  const { id: candidateId } = await person();
  const { id } = await interview(candidateId);
  await house.api.put(`/interviews/${id}/scorecard`, { summary: 'Knows Kubernetes.', overall: 3 });
  expect((await house.api.delete(`/candidates/${candidateId}`)).status).toBe(204);
  expect((await house.api.get(`/interviews/${id}/scorecard`)).status).toBe(404);
  const events = await eventsOf(service, house.tenantId, id);
  expect(events.map(({ data }) => JSON.parse(data))).toEqual([
    { id, sequence: 1 },
    { id, sequence: 2 },
  ]);
  const { rowCount } = await service.db.query(`select 1 from scorecards where tenant_id = $1`, [house.tenantId]);
  expect(rowCount).toBe(0);
});

it('moves the interviews of a merged candidate to the survivor', async () => {
  const [gone, survivor] = [await person(), await person()];
  const { id } = await interview(gone.id);
  await service.db.transaction(house.tenantId, async (tx) => {
    await tx.query(`select 1 from candidates where tenant_id = $1 and id = $2 for update`, [house.tenantId, gone.id]);
    const events = service.app.nest.get(DomainEvents);
    await events.publish(new CandidateRemoved(tx, house.tenantId, gone, survivor.id));
  });
  const { data } = (await house.api.get(`/candidates/${survivor.id}/interviews`)).body;
  expect(data.map((one: { id: string }) => one.id)).toEqual([id]);
  await house.api.put(`/interviews/${id}/scorecard`, { overall: 3 });
  const last = (await eventsOf(service, house.tenantId, id)).at(-1)!;
  expect(JSON.parse(last.data)).toMatchObject({
    candidate_id: survivor.id,
    candidate_external_id: survivor.external_id,
    sequence: 3,
  });
});

long('leaves no interview of a candidate that is erased while interviews are scheduled', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await person();
    await Promise.all([...Array.from({ length: 4 }, () => interview(id)), house.api.delete(`/candidates/${id}`)]);
    const { rowCount } = await service.db.query(`select 1 from interviews where tenant_id = $1 and candidate_id = $2`, [
      house.tenantId,
      id,
    ]);
    expect(rowCount).toBe(0);
  }
});

it('answers for interviews of another tenant as for unknown ones', async () => {
  const theirs = await newHouse(service);
  const { id: candidateId } = await person(theirs);
  const { id } = await interview(candidateId, theirs);
  await theirs.api.put(`/interviews/${id}/scorecard`, { overall: 3 });
  const before = (await theirs.api.get(`/interviews/${id}`)).text;
  const answers = [
    await house.api.get(`/interviews/${id}`),
    await house.api.patch(`/interviews/${id}`, { state: 'cancelled' }),
    await house.api.get(`/interviews/${id}/scorecard`),
    await house.api.put(`/interviews/${id}/scorecard`, { overall: 1 }),
    await house.api.get(`/candidates/${candidateId}/interviews`),
    await house.api.post(`/candidates/${candidateId}/interviews`, PLAN),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect((await theirs.api.get(`/interviews/${id}`)).text).toBe(before);
  expect((await house.api.get(`/interviews?candidate_id=${candidateId}`)).body.data).toEqual([]);
});
