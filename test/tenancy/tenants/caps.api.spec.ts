import { DIRECTORIES_CAP, SCIM_TOKENS_CAP } from '../../../src/directory-sync/directories/scim-tokens.service.js';
import { TASKS_CAP } from '../../../src/engine/work/tasks.service.js';
import { API_KEYS_CAP, ROLES_CAP } from '../../../src/tenancy/tenants/caps.js';
import { startApp, type TestApp, type TestTenant } from '../../support/app.js';
import { client, type Answer, type Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';

let service: TestApp;
let tenant: TestTenant;
let api: Client;
beforeEach(async () => {
  tenant = await service.newTenant();
  api = client(`${service.url}/api/v1`, tenant.apiKey);
});
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.close());

/** Four at once where there is room for two: two are made, and the refusal says which limit and what to do. */
async function fourAtOnce(create: (n: number) => Promise<Answer>, cap: { code: string; most: number }): Promise<void> {
  const answers = await Promise.all([1, 2, 3, 4].map(create));
  const made = answers.filter(({ status }) => status < 300);
  const refused = answers.filter(({ status }) => status === 409);
  expect([made.length, refused.length]).toEqual([2, 2]);
  expect(refused[0]!.body.code).toBe(cap.code);
  expect(refused[0]!.body.detail).toContain(`at most ${cap.most}`);
  expect(refused[0]!.body.detail).toContain(`there are ${cap.most}`);
}

const bulk = (table: string, columns: string, values: string, count: number) =>
  service.db.query(
    `insert into ${table} (tenant_id, ${columns}) select $1, ${values} from generate_series(1, ${count}) n`,
    [tenant.tenantId],
  );

describe('a tenant', () => {
  long('has at most 200 live API keys; revoked ones and those being rotated out do not count', async () => {
    const { most } = API_KEYS_CAP;
    const columns = 'id, name, prefix, hash, scopes, owner_kind, created_by, revoked_at';
    const row = `'key_' || n, 'k', 'p', sha256(('k' || n)::bytea), '{}', 'service', '{}'`;
    await bulk('api_keys', columns, `${row}, null`, most - 3);
    await bulk('api_keys', columns, row.replaceAll("'k", "'a") + ', now()', 50);
    await fourAtOnce((n) => api.post('/api-keys', { name: `n${n}`, scopes: ['users:read'] }), API_KEYS_CAP);
    // At the cap a rotation goes through, and a revocation makes room.
    const [first, second] = (await api.get('/api-keys?limit=2')).body.data as { id: string }[];
    expect((await api.post(`/api-keys/${first!.id}/rotate`)).status).toBe(201);
    expect((await api.post('/api-keys', { name: 'n', scopes: ['users:read'] })).status).toBe(409);
    expect((await api.delete(`/api-keys/${second!.id}`)).status).toBe(204);
    expect((await api.post('/api-keys', { name: 'n', scopes: ['users:read'] })).status).toBe(201);
  });

  it('has at most 50 directories', async () => {
    await bulk('directories', 'id, name, profile', `'dir_' || n, 'd' || n, 'tolerant'`, DIRECTORIES_CAP.most - 3);
    await fourAtOnce((n) => api.post('/directories', { name: `d${n}` }), DIRECTORIES_CAP);
  });

  it('has at most 200 roles', async () => {
    const { body } = await api.get('/roles?limit=200');
    await bulk('roles', 'name, takes_seat', `'r' || n, false`, ROLES_CAP.most - 2 - body.data.length);
    await fourAtOnce((n) => api.post('/roles', { name: `extra ${n}`, takes_seat: false }), ROLES_CAP);
  });

  it('has at most 20 resends that wait or run', async () => {
    await bulk(
      'tasks',
      'id, kind, payload, created_by, state',
      `'tsk_' || n, 'changes.resend', '{}', '{}', 'waiting'`,
      TASKS_CAP.most,
    );
    const { status, body } = await api.post('/changes/resend', { since: new Date().toISOString() });
    if (status !== 202) expect([status, body.code]).toEqual([409, 'too_many_tasks']);
  });
});

it('a directory has at most 20 live SCIM tokens of its own', async () => {
  const columns = 'id, directory_id, name, prefix, hash, created_by';
  const row = `'tok_' || n, '${tenant.directoryId}', 't', 'p', sha256(('t' || n)::bytea), '{}'`;
  await bulk('scim_tokens', columns, row, SCIM_TOKENS_CAP.most - 3);
  await fourAtOnce((n) => api.post(`/directories/${tenant.directoryId}/tokens`, { name: `t${n}` }), SCIM_TOKENS_CAP);
  expect((await api.post('/directories', { name: 'another' })).status).toBe(201);
});

describe('the rate of a tenant', () => {
  long('is shared by its keys, and apart from another tenant', async () => {
    const busy = await startApp({ RATE_LIMIT: '5', RATE_LIMIT_TENANT: '6' }, service);
    try {
      const keys = [tenant.apiKey];
      for (const name of ['a', 'b'])
        keys.push((await api.post('/api-keys', { name, scopes: ['users:read'] })).body.api_key as string);
      const answers: Answer[] = [];
      for (let i = 0; i < 40; i++)
        for (const key of keys) answers.push(await client(`${busy.url}/api/v1`, key).get('/me'));
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused[0]!.body.detail).toContain('of this tenant');
      expect(refused[0]!.headers.get('ratelimit-limit')).toBe('60');
      const other = await service.newTenant();
      const { status, headers } = await client(`${busy.url}/api/v1`, other.apiKey).get('/me');
      expect([status, headers.get('ratelimit-limit')]).toEqual([200, '50']);
    } finally {
      await busy.close();
    }
  });
});
