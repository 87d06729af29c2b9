import { sharedApp, type TestApp } from '../../support/app.js';
import { candidate } from '../../support/candidates.js';
import { Description } from '../../support/description.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh } from '../../support/scim.js';

let service: TestApp;
let house: House;
let api: Description;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  api = await Description.of(service.url);
});
afterAll(() => service.close());

/** Asks, and demands a status; the description judges the body, the answer and the status. */
const ask = async (
  method: string,
  path: string,
  expected: number,
  body?: unknown,
  token: string | null = house.apiKey,
) => {
  const answer = await api.ask(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
  expect([method, path, answer.status]).toEqual([method, path, expected]);
  return answer.body as { id: string; external_id: string };
};

it('describes the answers and refusals of candidates', async () => {
  const body = candidate({ metadata: { any: [1, null, { a: 'b' }] }, job_title: 'T' });
  const { id } = await ask('POST', '/candidates', 201, body);
  await ask('POST', '/candidates', 409, body);
  await ask('POST', '/candidates?if_exists=return', 200, body);
  await ask('POST', '/candidates?if_exists=x', 422, body);
  await ask('POST', '/candidates', 422, {});
  await ask('POST', '/candidates', 401, body, null);
  await ask('GET', `/candidates/${id}`, 200);
  await ask('GET', '/candidates/none', 404);
  await ask('GET', `/candidates?email=${body.email}&limit=1&updated_since=2026-01-01`, 200);
  await ask('GET', '/candidates?limit=1', 200);
  await ask('GET', '/candidates?cursor=x', 400);
  await ask('GET', '/candidates?x=1', 422);
  await ask('PATCH', `/candidates/${id}`, 200, { last_name: '', job_title: null, metadata: null });
  await ask('PATCH', '/candidates/none', 404, {});
  const other = await ask('PUT', `/candidates/by-external-id/${fresh()}`, 201, { ...body, external_id: null });
  await ask('PUT', `/candidates/by-external-id/${other.external_id}`, 200, { ...body, external_id: other.external_id });
  await ask('PUT', `/candidates/by-external-id/${other.external_id}`, 422, { ...body, external_id: 'x' });
  await ask('PATCH', `/candidates/${id}`, 409, { external_id: other.external_id });
  await ask('DELETE', `/candidates/${id}`, 204);
  await ask('DELETE', `/candidates/${id}`, 404);
});

it('describes the answers and refusals of job openings and resolve', async () => {
  const at = `/jobs/by-external-id/${fresh()}`;
  const { id, external_id } = await ask('PUT', at, 201, { title: 'T', ats: null, opened_at: '2026-01-01T00:00:00Z' });
  await ask('PUT', at, 200, { title: 'T', status: 'draft', url: 'https://jobs.example.com/1' });
  await ask('PUT', at, 422, { title: '' });
  await ask('GET', `/jobs/${id}`, 200);
  await ask('GET', '/jobs/none', 404);
  await ask('GET', '/jobs?status=draft&limit=1', 200);
  await ask('GET', '/jobs?status=x', 422);
  await ask('DELETE', `/jobs/${id}`, 204);
  await ask('DELETE', '/jobs/none', 404);
  await ask('GET', `/resolve?type=job&external_id=${external_id}`, 200);
  await ask('GET', '/resolve?type=candidate&external_id=none', 200);
  await ask('GET', '/resolve?type=scorecard&external_id=none', 422);
});
