import { startApp, type TestApp, type TestTenant } from '../support/app.js';
import { client, send, type Client } from '../support/http.js';
import { fresh } from '../support/scim.js';

let service: TestApp;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  service = await startApp();
  tenant = service.tenant;
  api = client(`${service.url}/api/v1`, tenant.apiKey);
});
afterAll(() => service.close());

const person = (more: object = {}) => ({
  first_name: 'Zoë',
  last_name: 'Müller',
  email: `${fresh()}@x.example`,
  external_id: fresh('gh_'),
  ...more,
});
const made = async (more: object = {}) => {
  const answer = await api.post('/candidates', person(more));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
const events = async (id: string) =>
  (
    await service.db.query<{ event: string; data: string }>(
      `select event, data::text as data from events where tenant_id = $1 and record = $2 order by sequence`,
      [tenant.tenantId, id],
    )
  ).rows.map(({ event, data }) => ({ event, data }));

describe('200, 201, 204', () => {
  it.each(['/api', '/api/v1', '/v1'])('%s/candidates: create, read, change, list, delete', async (prefix) => {
    const by = client(`${service.url}${prefix}`, tenant.apiKey);
    const body = person({ metadata: { ats: 'greenhouse', ats_priority: 'high' } });
    const created = await by.post('/candidates', body);
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`/api/v1/candidates/${created.body.id}`);
    expect(created.body).toEqual({
      ...body,
      id: expect.stringMatching(/^cand_/),
      job_title: null,
      created_at: expect.any(String),
      updated_at: created.body.created_at,
    });
    const at = `/candidates/${created.body.id}`;
    expect((await by.get(at)).text).toEqual(created.text);
    const changed = await by.patch(at, { first_name: 'New' });
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...created.body, first_name: 'New', updated_at: expect.any(String) },
    ]);
    const list = await by.get(`/candidates?external_id=${encodeURIComponent(body.external_id)}`);
    expect(list.body).toEqual({ data: [changed.body], next_cursor: null, next_updated_since: expect.any(String) });
    const gone = await by.delete(at);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect([(await by.delete(at)).status, (await by.get(at)).status, (await by.patch(at, {})).status]).toEqual([
      404, 404, 404,
    ]);
  });
  it('x', async () => {
    const c = await made({ metadata: { a: 1 } });
    console.log(await events(c.id), send.name);
  });
});
