import { sharedApp, type TestApp } from '../../support/app.js';
import { candidate } from '../../support/candidates.js';
import { client } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh } from '../../support/scim.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const resolve = async (type: string, externalId: string, at = house.api) =>
  (await at.get(`/resolve?type=${type}&external_id=${encodeURIComponent(externalId)}`)).body;
const made = async () => (await house.api.post('/candidates', candidate())).body as { id: string; external_id: string };

it.each(['/api', '/api/v1', '/v1'])('%s/resolve finds candidates, jobs and users', async (prefix) => {
  const at = client(`${service.url}${prefix}`, house.apiKey);
  const { id, external_id } = await made();
  expect(await resolve('candidate', external_id, at)).toEqual({ found: true, id, type: 'candidate' });
  const key = fresh('job/');
  const job = (await at.put(`/jobs/by-external-id/${encodeURIComponent(key)}`, { title: 'T' })).body;
  expect(await resolve('job', key, at)).toEqual({ found: true, id: job.id, type: 'job' });
  const user = { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B', external_id: fresh('U-') };
  const { id: userId } = (await at.post('/users', user)).body;
  expect(await resolve('user', user.external_id, at)).toEqual({ found: true, id: userId, type: 'user' });
});

it.each(['candidate', 'job', 'user'])('answers 200 for an unknown %s', async (type) => {
  expect(await resolve(type, 'none')).toEqual({ found: false, id: null, type });
});

it('refuses an unknown type, and names the known ones', async () => {
  const answer = await house.api.get('/resolve?type=interview&external_id=x');
  expect([answer.status, answer.body.errors]).toEqual([
    422,
    [{ field: 'type', message: 'must be one of: candidate, job, user' }],
  ]);
});

it('needs the read scope of the type', async () => {
  const { api_key } = (await house.api.post('/api-keys', { name: 'k', scopes: ['jobs:read'] })).body;
  const at = client(`${service.url}/api/v1`, api_key);
  expect((await at.get('/resolve?type=job&external_id=x')).status).toBe(200);
  for (const type of ['candidate', 'user']) {
    const answer = await at.get(`/resolve?type=${type}&external_id=x`);
    expect([answer.status, answer.body.scope]).toEqual([403, `${type}s:read`]);
  }
});

it('leads from a merged candidate to the survivor of the last merge, and finds no deleted one', async () => {
  const [first, second, third, gone] = [await made(), await made(), await made(), await made()];
  const merge = async (from: { id: string; external_id: string }, into: string) => {
    await service.db.query(`delete from candidates where tenant_id = $1 and id = $2`, [house.tenantId, from.id]);
    await service.db.query(
      `insert into candidate_tombstones (tenant_id, candidate_id, external_id, merged_into, sequence, gone_at)
       values ($1, $2, $3, $4, 2, now())`,
      [house.tenantId, from.id, from.external_id, into],
    );
  };
  await merge(first, second.id);
  expect(await resolve('candidate', first.external_id)).toEqual({ found: true, id: second.id, type: 'candidate' });
  await merge(second, third.id);
  for (const { external_id } of [first, second, third]) {
    expect(await resolve('candidate', external_id)).toEqual({ found: true, id: third.id, type: 'candidate' });
  }
  await house.api.delete(`/candidates/${gone.id}`);
  expect(await resolve('candidate', gone.external_id)).toMatchObject({ found: false });
  await house.api.delete(`/candidates/${third.id}`);
  expect(await resolve('candidate', first.external_id)).toMatchObject({ found: false, id: null });
});
