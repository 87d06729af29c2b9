import { Database } from '../../src/base/database/database.js';
import { WriteStatement } from '../../src/base/database/write-statement.js';
import { ForwardingService } from '../../src/forwarding/forwarding.service.js';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp, type TestTenant } from '../support/app.js';
import { client, eventually, send, type Client } from '../support/http.js';
import { long } from '../support/rounds.js';
import { personOf, SOURCE, type Any } from './harness.js';

describe('the platform and its changes', () => {
  let app: TestApp;
  let sandbox: SandboxPlatform;
  let other: SandboxPlatform;
  let tenant: TestTenant;
  let api: Client;

  beforeAll(async () => {
    app = await startApp();
    sandbox = new SandboxPlatform({ databaseUrl: app.databaseUrl, port: 0 });
    other = new SandboxPlatform({ databaseUrl: app.databaseUrl, port: 0 });
    await sandbox.start();
    await other.start();
  });
  afterAll(async () => {
    await sandbox.stop();
    await other.stop();
    await app.close();
  });
  beforeEach(async () => {
    tenant = await app.newTenant();
    api = client(`${app.url}/api/v1`, tenant.apiKey);
  });

  const connect = (more: object = {}, to = sandbox) =>
    api.put('/platform', {
      base_url: to.url,
      api_key: `key-${tenant.tenantId}-${to === other}`,
      timeout_ms: 1_000,
      ...more,
    });
  const platform = (method: string, path: string, body?: unknown, to = sandbox) =>
    send(method, to.url + path, `key-${tenant.tenantId}-${to === other}`, body);
  const change = async (
    user: string,
    status: 'active' | 'inactive' | 'deleted',
    more = {},
    forward = true,
  ): Promise<void> => {
    const forwarding = app.app.nest.get(ForwardingService);
    const tx = new WriteStatement().subject((p) => `select ${p.add(user, 'text')} as id`);
    const kind = status === 'active' ? 'updated' : status === 'inactive' ? 'deactivated' : 'deleted';
    const what = { kind, person: personOf(user, more), status, changed: ['last_name'] } as const;
    forwarding.enqueue(tx, tenant.tenantId, { ...what, changed: [...what.changed] }, SOURCE, new Date(), forward);
    await tx.run(app.app.nest.get(Database));
    forwarding.wake(tenant.tenantId);
  };
  const users = async (to = sandbox): Promise<Any[]> =>
    (await platform('GET', '/v1/users?limit=200', undefined, to)).body.data;
  const drained = () =>
    eventually(
      () => api.get('/platform'),
      ({ body }) => body.waiting === 0,
    );

  describe('GET and PUT /platform', () => {
    long('reports that there is none yet, and keeps the changes meanwhile', async () => {
      await change('usr_1', 'active');
      expect((await api.get('/platform')).body).toMatchObject({
        connected: false,
        state: 'no_platform_yet',
        waiting: 1,
      });
      const { status, body } = await connect();
      expect(status).toBe(200);
      expect(body).toMatchObject({
        connected: true,
        base_url: sandbox.url,
        key_hint: 'alse',
        on_deactivate: 'inactive',
      });
      expect(JSON.stringify(body)).not.toContain('key-ten');
      await drained();
      expect(await users()).toHaveLength(1);
    });

    it('changes only named fields, and accepts its own answer', async () => {
      const { body } = await connect({ concurrency: 3, paths: { users: '/v1/users' } });
      const again = await api.put('/platform', { ...body, rate: 20 });
      expect(again.status).toBe(200);
      expect(again.body).toMatchObject({
        concurrency: 3,
        rate: 20,
        paths: { users: '/v1/users', resolve: '/v1/resolve' },
      });
    });

    it.each([
      ['no address', { api_key: 'k' }, 'base_url'],
      ['no address at all', { base_url: 'platform' }, 'base_url'],
      ['another scheme', { base_url: 'ftp://platform.example.com' }, 'base_url'],
      ['a password in it', { base_url: 'https://a:b@platform.example.com' }, 'base_url'],
      ['a query in it', { base_url: 'https://platform.example.com?x=1' }, 'base_url'],
      ['an unknown field', { base_url: 'https://platform.example.com', url: 1 }, 'url'],
      ['a wrong action', { base_url: 'https://platform.example.com', on_delete: 'keep' }, 'on_delete'],
      ['a time-out of nothing', { base_url: 'https://platform.example.com', timeout_ms: 0 }, 'timeout_ms'],
      ['a key with a line break', { base_url: 'https://platform.example.com', api_key: 'a\nb' }, 'api_key'],
    ])('refuses %s', async (_, body, field) => {
      const answer = await api.put('/platform', body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].field).toBe(field);
    });

    it('does not send the key of one host to another', async () => {
      await connect();
      expect((await api.put('/platform', { base_url: other.url })).body.errors[0].field).toBe('api_key');
      expect((await connect({}, other)).status).toBe(200);
    });

    it('refuses this service itself', async () => {
      const base = new URL(app.app.config.baseUrl);
      expect((await api.put('/platform', { base_url: `${base.origin}/x`, api_key: 'k' })).status).toBe(422);
    });

    it('audits every change, without the key', async () => {
      await connect();
      await api.put('/platform', { api_key: 'another-secret' });
      const { body } = await api.get('/audit?target_type=platform');
      expect(body.data.map((line: Any) => line.action)).toEqual(['platform.changed', 'platform.connected']);
      expect(body.data[0].after).toMatchObject({ api_key: 'changed' });
      expect(JSON.stringify(body)).not.toContain('another-secret');
    });
  });

  long('forwards the net state anew to another address, and forgets the accounts of the old one', async () => {
    await connect();
    for (const user of ['usr_1', 'usr_2', 'usr_3']) await change(user, 'active');
    await drained();
    await change('usr_2', 'inactive');
    await change('usr_3', 'deleted');
    await drained();
    await connect({}, other);
    await eventually(
      () => api.get('/tasks'),
      ({ body }) => body.data[0]?.state === 'done',
    );
    await drained();
    await eventually(
      () => users(other),
      (list) => list.length === 1,
    );
    expect(await users(other)).toMatchObject([{ external_id: 'x-usr_1', status: 'active' }]);
    await change('usr_2', 'active');
    await drained();
    expect(await users(other)).toHaveLength(2);
    expect((await api.get('/changes?state=pending')).body.data).toEqual([]);
  });

  describe('POST /platform/test', () => {
    const finding = async () => (await api.post('/platform/test')).body;
    long('reports its finding in plain words', async () => {
      expect((await api.post('/platform/test')).status).toBe(409);
      await connect();
      expect(await finding()).toMatchObject({ ok: true, status: 200 });
      sandbox.setFaults({ mode: 'maintenance', status: 200 }, `key-${tenant.tenantId}-false`);
      expect((await finding()).message).toMatch(/web page instead of the API/);
      sandbox.setFaults({ mode: 'hang' }, `key-${tenant.tenantId}-false`);
      await api.put('/platform', { timeout_ms: 200 });
      expect((await finding()).message).toMatch(/did not answer in time/);
      sandbox.setFaults({ mode: 'none' }, `key-${tenant.tenantId}-false`);
      await api.put('/platform', { paths: { resolve: '/elsewhere' } });
      expect((await finding()).message).toMatch(/nothing at \/elsewhere/);
      await api.put('/platform', { base_url: 'http://127.0.0.1:9', api_key: 'k' });
      expect((await finding()).message).toMatch(/Nothing accepts connections/);
      await api.put('/platform', { base_url: 'http://no-such-host.invalid', api_key: 'k' });
      expect((await finding()).message).toMatch(/cannot be found|did not answer/);
    });
  });

  it('pauses and resumes by hand', async () => {
    await connect();
    expect((await api.post('/platform/pause', { reason: 'moving house' })).body).toMatchObject({
      state: 'paused',
      reason: 'by_hand',
      detail: 'moving house',
    });
    await change('usr_1', 'active');
    expect((await api.put('/platform', { concurrency: 2 })).body.state).toBe('paused');
    expect((await api.post('/platform/resume')).body.state).toBe('ok');
    await drained();
    expect(await users()).toHaveLength(1);
  });

  long('imports the users of the platform without forwarding', async () => {
    await connect();
    for (let n = 1; n <= 130; n++) {
      const body = {
        email: `p${n}@example.com`,
        first_name: 'P',
        last_name: `${n}`,
        external_id: n % 2 ? `e${n}` : null,
      };
      await platform('POST', '/v1/users', body);
    }
    const calls = (await platform('GET', '/v1/calls?limit=1000')).body.data.length;
    const job = await api.post('/platform/import');
    expect(job.status).toBe(202);
    const done = await eventually(
      () => api.get('/tasks'),
      ({ body }) => ['done', 'failed'].includes(body.data[0].state),
    );
    expect(done.body.data[0]).toMatchObject({ state: 'done', done: 130, error: null });
    const listed = await api.get('/users?limit=200');
    expect(listed.body.data).toHaveLength(130);
    const after = (await platform('GET', '/v1/calls?limit=1000')).body.data;
    expect(after.slice(calls).every((c: Any) => c.method === 'GET')).toBe(true);
    // A change of one of them goes to the account that is theirs.
    const person = listed.body.data[0];
    await api.patch(`/users/${person.id}`, { last_name: 'Changed' });
    await drained();
    expect((await users()).filter((u) => u.last_name === 'Changed')).toHaveLength(1);
    expect(await users()).toHaveLength(130);
  });

  describe('/changes', () => {
    it('shows each change with its user and its progress', async () => {
      await connect();
      await change('usr_1', 'active', { last_name: 'A' });
      await drained();
      await change('usr_1', 'active', { last_name: 'A' }, false);
      const { body } = await api.get('/changes');
      expect(body.data.map((c: Any) => c.state)).toEqual(['recorded', 'delivered']);
      const one = await api.get(`/changes/${body.data[1].id}`);
      expect(one.body).toMatchObject({
        kind: 'updated',
        user_id: 'usr_1',
        external_id: 'x-usr_1',
        user: personOf('usr_1', { last_name: 'A' }),
        changed: ['last_name'],
        source: SOURCE,
        state: 'delivered',
        sessions_ended_at: null,
        attempts: [{ method: 'POST', path: '/v1/users', status: 201, outcome: 'delivered', answer: null }],
      });
      for (const time of ['received_at', 'occurred_at', 'sent_at', 'confirmed_at']) {
        expect(one.body[time]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      }
    });

    it('filters and pages', async () => {
      for (let n = 1; n <= 7; n++) await change(`usr_${n % 2}`, n === 7 ? 'inactive' : 'active', { last_name: `${n}` });
      const names = (answer: Any) => answer.body.data.map((c: Any) => c.user.last_name).join('');
      expect(names(await api.get('/changes'))).toBe('7654321');
      expect(names(await api.get('/changes?user_id=usr_1'))).toBe('7531');
      expect(names(await api.get('/changes?kind=deactivated'))).toBe('7');
      expect(names(await api.get('/changes?state=pending&limit=3'))).toBe('765');
      expect(names(await api.get('/changes?state=delivered'))).toBe('');
      const first = await api.get('/changes?limit=5');
      expect(names(await api.get(`/changes?limit=5&cursor=${first.body.next_cursor}`))).toBe('21');
      expect((await api.get(`/changes?state=pending&cursor=${first.body.next_cursor}`)).status).toBe(400);
      expect((await api.get('/changes?state=lost')).status).toBe(422);
      expect((await api.get('/changes?since=2020-01-01')).body.data).toHaveLength(7);
      const soon = new Date(Date.now() + 60_000).toISOString();
      expect((await api.get(`/changes?since=${soon}`)).body.data).toEqual([]);
    });

    it('shows no change to another tenant', async () => {
      await change('usr_1', 'active');
      const { id } = (await api.get('/changes')).body.data[0];
      const stranger = client(`${app.url}/api/v1`, (await app.newTenant()).apiKey);
      expect((await stranger.get('/changes')).body.data).toEqual([]);
      for (const path of [`/changes/${id}/retry`, `/changes/${id}/dismiss`]) {
        expect((await stranger.post(path)).status).toBe(404);
      }
      expect((await stranger.get(`/changes/${id}`)).status).toBe(404);
      expect((await api.get('/changes/chg_999999999')).status).toBe(404);
      expect((await api.get('/changes/nonsense')).status).toBe(404);
    });

    long('retries and dismisses parked changes', async () => {
      await connect();
      await platform('POST', '/v1/users', { email: 'usr_1@example.com', first_name: 'X', external_id: 'someone' });
      await change('usr_1', 'active');
      const parked = await eventually(
        () => api.get('/changes?state=parked'),
        ({ body }) => body.data.length === 1,
      );
      const { id, error } = parked.body.data[0];
      expect(error).toMatchObject({ code: 'account_belongs_to_someone_else' });
      expect((await api.post(`/changes/${id}/retry`)).status).toBe(200);
      await eventually(
        () => api.get('/changes?state=parked'),
        ({ body }) => body.data.length === 1,
      );
      const dismissed = await api.post(`/changes/${id}/dismiss`, { reason: 'known' });
      expect(dismissed.body).toMatchObject({ state: 'dismissed', dismissed: { reason: 'known' } });
      expect((await api.post(`/changes/${id}/dismiss`)).status).toBe(409);
      expect((await api.get('/platform')).body).toMatchObject({ waiting: 0, parked: 0 });
      const { body } = await api.get('/audit?target_type=change');
      expect(body.data.map((line: Any) => line.action)).toEqual(['change.dismissed', 'change.retried']);
      // The next change of the same person is sent again.
      await change('usr_1', 'active', { email: 'new@example.com' });
      await drained();
      expect((await api.get('/changes?user_id=usr_1')).body.data.map((c: Any) => c.state)).toEqual([
        'delivered',
        'dismissed',
      ]);
    });

    long('sends the present state of all users who changed since a time', async () => {
      await connect();
      await change('usr_old', 'active');
      await drained();
      const since = new Date().toISOString();
      for (const user of ['usr_1', 'usr_2']) await change(user, 'active');
      await drained();
      await change('usr_2', 'inactive');
      await drained();
      // The account was changed at the platform.
      for (const user of await users())
        await platform('PATCH', `/v1/users/${user.id}`, { last_name: 'Meddled', status: 'active' });
      const job = await api.post('/changes/resend', { since });
      expect(job.status).toBe(202);
      await eventually(
        () => api.get('/tasks'),
        ({ body }) => body.data[0].state === 'done',
      );
      await drained();
      const there = new Map((await users()).map((user) => [user.external_id, user]));
      expect(there.get('x-usr_1')).toMatchObject({ last_name: 'Last', status: 'active' });
      expect(there.get('x-usr_2')).toMatchObject({ status: 'inactive' });
      expect(there.get('x-usr_old')).toMatchObject({ last_name: 'Meddled' });
      expect((await api.post('/changes/resend', { since: 'yesterday' })).status).toBe(422);
    });

    it('needs the admin scope', async () => {
      const key = await api.post('/api-keys', { name: 'reader', scopes: ['users:read'] });
      const reader = client(`${app.url}/api/v1`, key.body.api_key);
      for (const path of ['/changes', '/platform', '/tasks']) expect((await reader.get(path)).status).toBe(403);
      expect((await reader.put('/platform', {})).status).toBe(403);
    });
  });
});
