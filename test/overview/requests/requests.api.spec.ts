import { USER_TYPE } from '../../../src/protocols/scim/schema/resource-types.js';
import { RequestRows } from '../../../src/overview/requests/request-rows.js';
import { TenantStorage } from '../../../src/tenancy/tenants/storage/tenant-storage.js';
import { newId } from '../../../src/base/ids.js';
import { startApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse, type House } from '../../support/house.js';
import { client, eventually, send, type Answer } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { bulk, fresh, madeGroup, madeUser, patch, replace, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

interface Row {
  id: string;
  [name: string]: unknown;
}

const idOf = (answer: Answer): string => answer.headers.get('x-request-id')!;

/** Returns the row of a request, once it is written. */
async function rowOf({ api }: House, answer: Answer): Promise<Row> {
  const { body } = await eventually(
    () => api.get(`/requests/${idOf(answer)}`),
    ({ status }) => status === 200,
  );
  return body as Row;
}

const rows = async ({ api }: House, query: string): Promise<Row[]> => {
  const { status, body } = await api.get(query);
  expect(status).toBe(200);
  return body.data as Row[];
};

describe('a row of the log', () => {
  long('has what a write of a user did', async () => {
    const at = await newHouse(service, { profile: 'okta' });
    const email = `${fresh()}@x.example`;
    const created = await at.scim.post('/Users', user(email));
    const id = created.body.id as string;
    const changed = await at.scim.patch(`/Users/${id}`, replace('title', 'T'));
    const unchanged = await at.scim.patch(`/Users/${id}`, replace('title', 'T'));
    const deleted = await at.scim.delete(`/Users/${id}`);
    const of = { directory_id: at.directoryId, user_id: id, group_id: null, dialect: null, held: null, code: null };
    expect(await rowOf(at, created)).toMatchObject({
      ...of,
      id: idOf(created),
      method: 'POST',
      path: '/scim/v2/Users',
      status: 201,
      outcome: 'created',
      credential_id: expect.stringMatching(/^tok_/) as unknown,
      body: user(email),
    });
    expect(await rowOf(at, changed)).toMatchObject({ ...of, path: `/scim/v2/Users/${id}`, outcome: 'changed' });
    expect(await rowOf(at, unchanged)).toMatchObject({ ...of, status: 200, outcome: 'unchanged' });
    expect(await rowOf(at, deleted)).toMatchObject({ ...of, status: 204, outcome: 'deleted', body: null });
  });

  long('has by what a write linked a user', async () => {
    const at = await newHouse(service);
    const { body } = await at.api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B' });
    const linked = await at.scim.post('/Users', user(body.email as string));
    expect(await rowOf(at, linked)).toMatchObject({ outcome: 'linked', linked_by: 'email', user_id: body.id });
  });

  long('has why a user is held, of a removal too', async () => {
    const at = await newHouse(service, { default_role: null });
    const held = await at.scim.post('/Users', user(`${fresh()}@x.example`));
    expect(await rowOf(at, held)).toMatchObject({ outcome: 'created', held: 'no_role' });
    const id = held.body.id as string;
    await at.api.patch('/tenant', { owner_user_id: id });
    const other = await newHouse(service);
    const owner = await madeUser(other.scim);
    await other.api.patch('/tenant', { owner_user_id: owner });
    const removal = await other.scim.delete(`/Users/${owner}`);
    expect(removal.status).toBe(204);
    expect(await rowOf(other, removal)).toMatchObject({ outcome: 'deleted', held: 'protected', user_id: owner });
  });

  long('says of a directory in preview that a write is kept', async () => {
    const at = await newHouse(service, { state: 'preview' });
    const { body } = await at.api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B' });
    const kept = await at.scim.patch(`/Users/${body.id}`, replace('title', 'T'));
    expect(await rowOf(at, kept)).toMatchObject({ status: 200, outcome: 'previewed', user_id: body.id });
  });

  long('has what a write of a group did', async () => {
    const at = await newHouse(service);
    const id = await madeGroup(at.scim);
    const changed = await at.scim.patch(`/Groups/${id}`, replace('displayName', fresh()));
    expect(await rowOf(at, changed)).toMatchObject({ status: 204, outcome: 'changed', group_id: id, user_id: null });
  });

  long('has the operations of Bulk by their status', async () => {
    const at = await newHouse(service);
    const answer = await at.scim.post(
      '/Bulk',
      bulk([
        { method: 'POST', path: '/Users', bulkId: 'a', data: user(`${fresh()}@x.example`) },
        { method: 'POST', path: '/Users', bulkId: 'b', data: user(`${fresh()}@x.example`) },
        { method: 'DELETE', path: `/Groups/${newId('grp')}` },
      ]),
    );
    expect(await rowOf(at, answer)).toMatchObject({
      outcome: 'bulk',
      detail: '2 POST /Users 201, 1 DELETE /Groups 404',
    });
  });

  long('of a Bulk request is found from each user that the request has changed', async () => {
    const at = await newHouse(service);
    const [ann, bob] = [await madeUser(at.scim), await madeUser(at.scim)];
    const answer = await at.scim.post(
      '/Bulk',
      bulk([
        { method: 'PATCH', path: `/Users/${ann}`, data: replace('title', 'T') },
        { method: 'PATCH', path: `/Users/${bob}`, data: replace('nonsense', 'T') },
        { method: 'POST', path: '/Users', bulkId: 'a', data: user(`${fresh()}@x.example`) },
      ]),
    );
    const made = String(answer.body.Operations[2].location).split('/').at(-1);
    await rowOf(at, answer);
    const list = await rows(at, `/requests?request_id=${idOf(answer)}`);
    const common = { directory_id: at.directoryId, duration_ms: list[3]!['duration_ms'], body_bytes: null };
    expect(list).toMatchObject([
      { ...common, id: `${idOf(answer)}.0003`, method: 'POST', path: '/scim/v2/Users', status: 201, user_id: made },
      { ...common, path: `/scim/v2/Users/${bob}`, status: 400, scim_type: 'invalidPath', outcome: null, user_id: bob },
      { ...common, path: `/scim/v2/Users/${ann}`, status: 200, outcome: 'changed', user_id: ann },
      { id: idOf(answer), path: '/scim/v2/Bulk', outcome: 'bulk', user_id: null },
    ]);
    expect((await rows(at, `/requests?user=${made}`)).map(({ id }) => id)).toEqual([list[0]!.id]);
    expect((await at.api.get(`/requests/${list[2]!.id}`)).body).toEqual({ ...list[2], body: null });
    const { body } = await at.api.get(`/users/${ann}/history?kind=request`);
    expect(body.data[0]).toMatchObject({ request_id: idOf(answer), outcome: 'changed', status: 200 });
  });

  long('has the IdP that the request shows', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim);
    const off = patch({ op: 'Replace', path: 'active', value: 'False' });
    expect(await rowOf(at, await at.scim.patch(`/Users/${id}`, off))).toMatchObject({ status: 200, dialect: 'entra' });
  });

  long('has why a request was refused, without the words of the caller', async () => {
    const at = await newHouse(service);
    const refused = await at.scim.get(`/Users?filter=${encodeURIComponent('nonsense eq "ann@x.example"')}`);
    const row = await rowOf(at, refused);
    expect(row).toMatchObject({ status: 400, scim_type: 'invalidFilter', outcome: null, path: '/scim/v2/Users' });
    expect(JSON.stringify(row)).not.toContain('ann@x.example');
    const malformed = await at.scim.post('/Users', '{"userName":');
    expect(await rowOf(at, malformed)).toMatchObject({ status: 400, code: 'malformed_json', body: null });
  });

  long('contains no password and no token, wherever the request has them', async () => {
    const at = await newHouse(service);
    const canary = `canary${fresh()}`;
    const id = await madeUser(at.scim, user(`${fresh()}@x.example`, { password: canary }));
    await at.scim.patch(`/Users/${id}`, replace('password', canary));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', value: { password: canary } }));
    await at.scim.put(`/Users/${id}`, user(`${fresh()}@x.example`, { password: canary }));
    const made = { method: 'POST', path: '/Users', bulkId: 'a', data: user(fresh(), { password: canary }) };
    const last = await at.scim.post('/Bulk', bulk([made]));
    await rowOf(at, last);
    const { rows: found } = await service.db.execute(
      `select 1 from requests r where r::text like '%${canary}%'
       union all select 1 from request_bodies b where b::text like '%${canary}%' or b::text like '%${at.scimToken}%'`,
    );
    expect(found).toEqual([]);
    expect((await rows(at, '/requests')).length).toBe(6);
  });
});

describe('a list of requests', () => {
  long('is narrowed by directory, credential, user, status, id and time, newest first', async () => {
    const at = await newHouse(service);
    const other = await service.newDirectory(at.tenantId);
    const id = await madeUser(at.scim);
    const begin = new Date().toISOString();
    const missing = await at.scim.get(`/Users/${newId('usr')}`);
    await send('GET', `${service.url}/scim/v2/Users`, other.token);
    const read = await at.scim.get(`/Users/${id}`);
    await rowOf(at, read);
    const all = await eventually(
      () => rows(at, '/requests'),
      (found) => found.length === 4,
    );
    expect(all.map((row) => row.id)).toEqual([...all.map((row) => row.id)].sort().reverse());
    const ids = async (query: string) => (await rows(at, query)).map((row) => row.id);
    expect(await ids(`/requests?directory=${other.id}`)).toEqual([all[1]!.id]);
    expect(await ids(`/directories/${other.id}/requests`)).toEqual([all[1]!.id]);
    expect(await ids(`/requests?credential=${String(all[1]!['credential_id'])}`)).toEqual([all[1]!.id]);
    expect(await ids(`/directories/${at.directoryId}/requests?status=404`)).toEqual([idOf(missing)]);
    expect(await ids('/requests?status=4xx')).toEqual([idOf(missing)]);
    expect(await ids(`/requests?user=${id}`)).toEqual([idOf(read), all[3]!.id]);
    expect(await ids(`/requests?request_id=${idOf(read)}`)).toEqual([idOf(read)]);
    expect(await ids('/requests?request_id=req_1')).toEqual([]);
    expect(await ids(`/requests?since=${begin}`)).toEqual(all.slice(0, 3).map((row) => row.id));
    expect(await ids(`/requests?until=${begin}`)).toEqual([all[3]!.id]);
  });

  long('is read page by page', async () => {
    const at = await newHouse(service);
    for (let i = 0; i < 5; i++) await at.scim.get('/Users');
    const all = await eventually(
      () => rows(at, '/requests'),
      (found) => found.length === 5,
    );
    const walked: string[] = [];
    let cursor = '';
    do {
      const { body } = await at.api.get(`/requests?limit=2&cursor=${cursor}`);
      walked.push(...(body.data as Row[]).map((row) => row.id));
      cursor = (body.next_cursor as string | null) ?? '';
    } while (cursor !== '');
    expect(walked).toEqual(all.map((row) => row.id));
  });

  it('refuses a range that ends before it begins, no date, no status and an unknown filter, and names the field', async () => {
    const { api } = await newHouse(service);
    const fieldOf = async (query: string) => {
      const { status, body } = await api.get(`/requests?${query}`);
      return [status, body.errors?.[0]?.field];
    };
    expect(await fieldOf('since=2026-02-01&until=2026-01-01')).toEqual([422, 'since']);
    expect(await fieldOf('until=yesterday')).toEqual([422, 'until']);
    expect(await fieldOf('status=6xx')).toEqual([422, 'status']);
    expect(await fieldOf('usr=1')).toEqual([422, 'usr']);
  });

  long('is of one tenant: a request and a directory of another one are 404', async () => {
    const [at, other] = [await newHouse(service), await newHouse(service)];
    const answer = await at.scim.get('/Users');
    await rowOf(at, answer);
    expect((await other.api.get(`/requests/${idOf(answer)}`)).status).toBe(404);
    expect((await other.api.get(`/directories/${at.directoryId}/requests`)).status).toBe(404);
    expect(await rows(other, `/requests?request_id=${idOf(answer)}`)).toEqual([]);
    expect(await rows(other, `/requests?directory=${at.directoryId}`)).toEqual([]);
  });

  long('is shown by the command line', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim);
    await rowOf(at, await at.scim.patch(`/Users/${id}`, replace('title', 'T')));
    const run = commandLine(service, at.apiKey);
    expect((await run('directory', 'requests')).out).toMatch(/PATCH .* 200 +changed/);
    const listed = await run('request', 'list', '--user', id, '--json');
    expect(listed.json).toHaveLength(2);
    const shown = await run('request', 'show', listed.json[0].id as string, '--json');
    expect(shown.json).toMatchObject({ outcome: 'changed', body: replace('title', 'T') });
    const { out } = await run('request', 'show', listed.json[0].id as string);
    expect(out).toMatch(/^outcome +changed$/m);
    expect(out.split('\nbody\n')[1]).toBe(`${JSON.stringify(shown.json.body, null, 2)}\n`);
  });
});

describe('rows that cannot be kept', () => {
  const row = (tenantId: string) => ({
    tenantId,
    id: newId('req'),
    directoryId: 'dir_1',
    credentialId: 'tok_1',
    method: 'POST',
    path: '/scim/v2/Users',
    status: 201,
    durationMs: 1,
    dialect: null,
    userId: null,
    groupId: null,
    outcome: null,
    held: null,
    linkedBy: null,
    code: null,
    scimType: null,
    userName: null,
    detail: null,
    bodyBytes: 65_536,
    body: `"${'x'.repeat(65_534)}"`,
    userType: USER_TYPE,
  });

  /** Waits until the metrics, which are kept for a second, show the dropped rows. */
  const dropped = (reason: string, count: number) =>
    eventually(
      () => send('GET', `${service.url}/metrics`, null),
      ({ text }) => text.includes(`bridge_request_rows_dropped_total{reason="${reason}"} ${count}`),
    );

  it('are counted, and leave the memory of other tenants alone', async () => {
    const [at, other] = [await newHouse(service), await newHouse(service)];
    const written = service.app.nest.get(RequestRows);
    for (let i = 0; i < 70; i++) written.note(row(at.tenantId));
    written.note(row(other.tenantId));
    await written.flush();
    expect(await rows(at, '/requests?limit=200')).toHaveLength(63);
    expect(await rows(other, '/requests')).toHaveLength(1);
    await dropped('full', 7);
  });

  it('are those alone that the database refuses, and not their batch', async () => {
    const [at, other] = [await newHouse(service), await newHouse(service)];
    const written = service.app.nest.get(RequestRows);
    written.note(row(at.tenantId));
    written.note({ ...row(other.tenantId), method: 'a\0' });
    written.note(row(other.tenantId));
    await written.flush();
    expect(await rows(at, '/requests')).toHaveLength(1);
    expect(await rows(other, '/requests')).toHaveLength(1);
    await dropped('refused', 1);
  });

  it('are none of a batch that is sent again', async () => {
    const at = await newHouse(service);
    const written = service.app.nest.get(RequestRows);
    const twice = row(at.tenantId);
    for (const one of [twice, twice, row(at.tenantId)]) written.note(one);
    await written.flush();
    expect(await rows(at, '/requests')).toHaveLength(2);
    await dropped('refused', 1);
  });

  long('are those after a tenth of the storage of the tenant, which keeps its room for all else', async () => {
    const at = await newHouse(service);
    const operator = client(`${service.url}/api/v1`, service.operatorToken);
    const limit = (limit_bytes: number) => operator.put(`/tenants/${at.tenantId}/storage`, { limit_bytes });
    await limit(1024 ** 2);
    const written = service.app.nest.get(RequestRows);
    for (let i = 0; i < 2; i++) written.note(row(at.tenantId));
    await written.flush();
    const { body } = await at.api.get('/storage');
    expect(body.used_bytes).toBeLessThan(65_536);
    written.note(row(at.tenantId));
    await written.flush();
    expect(await rows(at, '/requests')).toHaveLength(2);
    await dropped('storage', 1);
    await limit(100 * 1024 ** 2);
    await service.app.nest.get(TenantStorage).flush();
    await rowOf(at, await at.scim.get('/Users'));
  });
});

describe('a refused request that names no user here', () => {
  it('is found by its userName, with the requests of the users whom the name finds', async () => {
    const at = await newHouse(service);
    const name = `${fresh()}@x.example`;
    const refused = await at.scim.post('/Users', { ...user(name), active: 'perhaps' });
    const unknown = await at.scim.post('/Users', { ...user(`other-${name}`), emails: 'none' });
    expect([refused.status, unknown.status]).toEqual([400, 400]);
    expect(await rowOf(at, refused)).toMatchObject({ user_id: null, user_name: name });
    await rowOf(at, unknown);
    expect((await rows(at, `/requests?user=${name.toUpperCase()}`)).map(({ id }) => id)).toEqual([idOf(refused)]);
    const id = await madeUser(at.scim, user(name));
    await eventually(
      () => rows(at, `/requests?user=${name}`),
      (found) => found.length === 2,
    );
    expect((await rows(at, `/requests?user=${id}`)).length).toBe(1);
    const { json, err } = await commandLine(service, at.apiKey)(
      'request',
      'list',
      '--user',
      name,
      '--refused',
      '--days',
      '2',
      '--json',
    );
    expect(err).toBe('');
    expect(json).toEqual([expect.objectContaining({ id: idOf(refused), user_name: name })]);
    expect((await at.api.get('/requests?days=0')).body.errors[0].field).toBe('days');
  });

  it('is left out of writes where it is a read, and of refusals where it succeeded', async () => {
    const at = await newHouse(service);
    const read = await at.scim.get('/Users');
    const missing = await at.scim.get('/Users/usr_00000000000000000000000000');
    const made = await at.scim.post('/Users', user(`${fresh()}@x.example`));
    for (const one of [read, missing, made]) await rowOf(at, one);
    const idsOf = async (query: string) => (await rows(at, query)).map(({ id }) => id);
    expect(await idsOf('/requests?writes=true')).toEqual([idOf(made)]);
    expect(await idsOf('/requests?refused=true')).toEqual([idOf(missing)]);
  });

  it('has its userName as an operation of Bulk too', async () => {
    const at = await newHouse(service);
    const name = `${fresh()}@x.example`;
    const answer = await at.scim.post(
      '/Bulk',
      bulk([{ method: 'POST', path: '/Users', bulkId: 'a', data: { ...user(name), active: 'perhaps' } }]),
    );
    await rowOf(at, answer);
    const found = await eventually(
      () => rows(at, `/requests?user=${name}`),
      (all) => all.length > 0,
    );
    expect(found[0]).toMatchObject({ id: `${idOf(answer)}.0001`, user_name: name });
  });
});
