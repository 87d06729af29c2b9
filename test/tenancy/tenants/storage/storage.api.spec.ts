import { randomBytes } from 'node:crypto';
import { toldGreenhouse, applicationOf } from '../../../integrations/ats/inbound/support/told-greenhouse.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { candidate } from '../../../support/candidates.js';
import { client, eventually, send, type Answer, type Client } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { bulk, group, madeGroup, madeUser, membersOf, patch, replace, scim, user } from '../../../support/scim.js';

const MIB = 1024 ** 2;

let service: TestApp;
let operator: Client;
beforeAll(async () => {
  service = await startApp();
  operator = client(`${service.url}/api/v1`, service.operatorToken);
});
afterAll(() => service.close());

/** A candidate whose metadata is not compressible. */
const large = () => candidate({ metadata: { notes: randomBytes(7_500).toString('hex') } });
const limit = (tenantId: string, limit_bytes: number | null) =>
  operator.put(`/tenants/${tenantId}/storage`, { limit_bytes });
const codes = (answers: readonly Answer[]) => answers.map(({ status, body }) => [status, body?.code]);

/** Fills the storage of a tenant. @returns the states that it has had */
async function exhaust(tenantId: string, api: Client): Promise<Set<string>> {
  expect((await limit(tenantId, MIB)).status).toBe(200);
  const states = new Set<string>();
  while (!states.has('exhausted')) {
    const { status } = await api.post('/candidates', large());
    // Between this and the last look the state may have become exhausted.
    expect([201, 507]).toContain(status);
    states.add((await api.get('/storage')).body.state as string);
  }
  return states;
}

describe('a tenant whose storage is exhausted', () => {
  let api: Client;
  let directory: Client;
  let tenantId: string;
  let [ann, bob, cyd, team, known, key] = ['', '', '', '', '', ''];
  let [directoryId, tokenId, rotatable] = ['', '', ''];
  let states = new Set<string>();

  beforeAll(async () => {
    const tenant = await service.newTenant();
    ({ tenantId, directoryId } = tenant);
    api = client(`${service.url}/api/v1`, tenant.apiKey);
    directory = scim(service.url, tenant.scimToken);
    ann = await madeUser(directory, user('ann@s.example', { roles: [{ value: 'A' }, { value: 'B' }] }));
    [bob, cyd] = [await madeUser(directory), await madeUser(directory)];
    team = await madeGroup(directory, [ann, bob]);
    known = (await api.post('/candidates', candidate())).body.id;
    key = (await api.post('/api-keys', { name: 'k', scopes: ['users:read'] })).body.id;
    rotatable = (await api.post('/api-keys', { name: 'k3', scopes: ['users:read'] })).body.id;
    tokenId = (await api.get(`/directories/${directoryId}/tokens`)).body.data[0].id;
    states = await exhaust(tenantId, api);
  }, 60_000);

  it('has one event at 80 % and one at 100 %', async () => {
    expect([...states]).toEqual(['ok', 'approaching', 'exhausted']);
    for (const event of ['storage.approaching', 'storage.exhausted']) {
      const { data } = (await api.get(`/events?event=${event}`)).body as { data: { data: Record<string, number> }[] };
      expect(data).toHaveLength(1);
      expect(data[0]!.data['limit_bytes']).toBe(MIB);
    }
  });

  it('is refused requests that add data, with 507 in the API', async () => {
    const refused = [
      await api.post('/candidates', candidate()),
      await api.patch(`/candidates/${known}`, { last_name: 'Other' }),
      await api.put('/jobs/by-external-id/j1', { title: 'Job' }),
      await api.post(`/candidates/${known}/interviews`, {}),
      await api.post('/users', { email: 'new@s.example', first_name: 'N', last_name: 'W' }),
      await api.post('/api-keys', { name: 'k2', scopes: ['users:read'] }),
      await api.patch('/tenant', { name: 'Other' }),
    ];
    expect(codes(refused)).toEqual(refused.map(() => [507, 'storage_exhausted']));
    expect(refused[0]!.headers.get('retry-after')).toBe('300');
  });

  it('is refused requests that add data, with 507 in SCIM', async () => {
    const refused = [
      await directory.post('/Users', user('new@s.example')),
      await directory.patch(`/Users/${cyd}`, replace('nickName', 'longer')),
      await directory.post('/Groups', group('New')),
      await directory.patch(`/Groups/${team}`, patch({ op: 'add', path: 'members', value: [{ value: cyd }] })),
      await directory.put(`/Groups/${team}`, group('Team', { members: [{ value: ann }, { value: cyd }] })),
    ];
    expect(refused.map(({ status, body }) => [status, body.status])).toEqual(refused.map(() => [507, '507']));
    const operations = [{ method: 'POST', path: '/Users', bulkId: 'a', data: user('bulk@s.example') }];
    const { body } = await directory.post('/Bulk', bulk(operations));
    expect(body.Operations[0].status).toBe('507');
  });

  it('can read, deactivate, remove and delete', async () => {
    expect((await api.get('/candidates')).status).toBe(200);
    expect((await directory.post('/Users/.search', { filter: 'userName eq "ann@s.example"' })).status).toBe(200);
    expect((await directory.patch(`/Users/${ann}`, patch({ op: 'remove', path: 'roles[value eq "B"]' }))).status).toBe(
      200,
    );
    const fewer = patch({ op: 'remove', path: `members[value eq "${bob}"]` });
    expect((await directory.patch(`/Groups/${team}`, fewer)).status).toBeLessThan(300);
    expect(await membersOf(directory, team)).toEqual([ann]);
    expect((await directory.patch(`/Users/${ann}`, replace('active', false))).body.active).toBe(false);
    const { body } = await directory.get(`/Users/${bob}`);
    expect((await directory.put(`/Users/${bob}`, { ...body, nickName: 'n', active: false })).body.active).toBe(false);
    expect((await directory.delete(`/Users/${cyd}`)).status).toBe(204);
    expect((await directory.delete(`/Groups/${team}`)).status).toBe(204);
    expect((await api.delete(`/candidates/${known}`)).status).toBe(204);
    expect((await api.delete(`/api-keys/${key}`)).status).toBe(204);
    // A deactivated user does not come back.
    expect((await directory.patch(`/Users/${ann}`, replace('active', true))).status).toBe(507);
  });

  it('can rotate its credentials', async () => {
    const rotated = [
      await api.post(`/api-keys/${rotatable}/rotate`, {}),
      await api.post(`/directories/${directoryId}/tokens/${tokenId}/rotate`, {}),
    ];
    expect(rotated.map(({ status, text }) => (status < 300 ? 'ok' : text))).toEqual(['ok', 'ok']);
  });

  it('does not affect other tenants', async () => {
    const other = client(`${service.url}/api/v1`, (await service.newTenant()).apiKey);
    expect((await other.post('/candidates', candidate())).status).toBe(201);
    expect((await other.get('/storage')).body).toMatchObject({ limit_bytes: 20 * 1024 ** 3, state: 'ok' });
    expect((await other.get(`/tenants/${tenantId}/storage`)).status).toBe(403);
  });

  it('is counted by the metrics', async () => {
    const { text } = await send('GET', `${service.url}/metrics`, null);
    expect(text).toContain('bridge_storage_tenants{state="exhausted"} 1');
    expect(text).not.toContain(tenantId);
  });

  it('can write again as soon as the operator has raised the limit', async () => {
    expect((await limit(tenantId, null)).body).toMatchObject({ state: 'ok', is_own_limit: false });
    expect((await api.post('/candidates', candidate())).status).toBe(201);
    const { data } = (await api.get('/audit?action=storage_limit.changed')).body;
    expect(data).toHaveLength(2);
  });
});

long(
  'can write again when deletions have made room',
  async () => {
    const tenant = await service.newTenant();
    const api = client(`${service.url}/api/v1`, tenant.apiKey);
    await exhaust(tenant.tenantId, api);
    const { data } = (await api.get('/candidates?limit=200')).body as { data: { id: string }[] };
    for (const { id } of data) expect((await api.delete(`/candidates/${id}`)).status).toBe(204);
    const storage = await eventually(() => api.get('/storage'), ({ body }) => body.state === 'ok', 60_000); // prettier-ignore
    expect(storage.body.used_bytes).toBeLessThan(0.8 * MIB);
    await eventually(() => api.post('/candidates', candidate()), ({ status }) => status === 201); // prettier-ignore
  },
  90_000,
);

long(
  'lets an ATS delete, and refuses its other events with 507',
  async () => {
    const ats = await toldGreenhouse(service);
    const at = new Date().toISOString();
    await ats.send('new_candidate_application', applicationOf({ person: 1, application: 11, at }));
    await ats.settled();
    expect(await ats.candidates()).toHaveLength(1);
    await exhaust(ats.tenantId, ats.api);
    const more = applicationOf({ person: 2, application: 12, at });
    await expect(ats.send('new_candidate_application', more)).rejects.toThrow('507');
    await ats.send('delete_candidate', { person: { id: 1 } });
    await ats.settled();
    expect(await ats.resolve('gh_1')).toBeNull();
  },
  60_000,
);

long('exhausts the storage of a tenant by padded webhooks of its ATSs', async () => {
  const tenant = await service.newTenant();
  const api = client(`${service.url}/api/v1`, tenant.apiKey);
  await limit(tenant.tenantId, 4 * MIB);
  const made = await api.post('/ats-connections', { provider: 'greenhouse', name: 'g', marker: 'st_' });
  const padding = () => randomBytes(45_000).toString('base64');
  const statuses: number[] = [];
  for (let id = 1; id <= 200 && !statuses.includes(507); id++) {
    const event = { action: 'update_candidate', payload: { candidate: { id, padding: padding() } } };
    const url = `${service.url}/api/webhooks/greenhouse?api_token=${made.body.api_token as string}`;
    statuses.push((await send('POST', url, null, event)).status);
    if (id % 20 === 0) await api.get('/storage');
  }
  expect(statuses.indexOf(507)).toBeGreaterThan(20);
  expect(statuses.indexOf(507)).toBeLessThan(100);
});
