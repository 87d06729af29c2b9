import http from 'node:http';
import pg from 'pg';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { readFaults, strikes, NO_FAULTS } from '../../src/sandbox/sandbox-journal.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { send, type Answer } from '../support/http.js';
import { long } from '../support/rounds.js';

describe('the sandbox platform', () => {
  let database: TestDatabase;
  let sandbox: SandboxPlatform;
  let key = 0;
  beforeAll(async () => {
    database = await testDatabase();
    sandbox = new SandboxPlatform({ databaseUrl: database.url, port: 0 });
    await sandbox.start();
  });
  afterAll(async () => {
    await sandbox.stop();
    await database.close();
  });
  beforeEach(() => {
    key++;
    sandbox.setFaults({});
  });

  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    send(method, sandbox.url + path, `key-${key}`, body, headers);
  const person = (n: number, more: object = {}) => ({
    email: `p${n}@example.com`,
    first_name: 'P',
    last_name: '',
    role: 'User',
    external_id: `x${n}`,
    ...more,
  });

  it('answers loopback names alone, at each address', async () => {
    const { port } = new URL(sandbox.url);
    const status = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const ask = http.get({ host: '127.0.0.1', port, path: '/', headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        ask.on('error', reject);
      });
    for (const own of [`127.0.0.1:${port}`, 'localhost', `LOCALHOST:${port}`, '[::1]:1', '127.1.2.3']) {
      expect([own, await status(own)]).toEqual([own, 200]);
    }
    for (const other of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil',
      '10.0.0.1',
      '0.0.0.0',
    ]) {
      expect([other, await status(other)]).toEqual([other, 421]);
    }
  });

  it('creates, reads, changes and deletes users', async () => {
    const made = await call('POST', '/v1/users', person(1));
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect(made.body).toMatchObject({ ...person(1), status: 'active' });
    expect((await call('GET', `/v1/users/${id}`)).body).toEqual(made.body);
    expect((await call('PATCH', `/v1/users/${id}`, { last_name: 'L', status: 'inactive' })).body).toMatchObject({
      last_name: 'L',
      status: 'inactive',
    });
    expect((await call('GET', '/v1/resolve?type=user&external_id=x1')).body).toEqual({ found: true, id, type: 'user' });
    expect((await call('DELETE', `/v1/users/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/v1/users/${id}`)).status).toBe(404);
    expect((await call('GET', '/v1/resolve?type=user&external_id=x1')).body).toEqual({
      found: false,
      id: null,
      type: 'user',
    });
  });

  it('keeps e-mails unique among active users, and external ids among all', async () => {
    const first = (await call('POST', '/v1/users', person(1))).body;
    const clash = await call('POST', '/v1/users', person(2, { email: 'P1@EXAMPLE.COM' }));
    expect(clash).toMatchObject({ status: 409, body: { code: 'email_taken', id: first.id } });
    expect(clash.headers.get('content-type')).toBe('application/problem+json');
    expect(await call('POST', '/v1/users', person(3, { external_id: 'x1' }))).toMatchObject({
      status: 409,
      body: { code: 'external_id_taken', id: first.id },
    });
    await call('PATCH', `/v1/users/${first.id}`, { status: 'inactive' });
    expect((await call('POST', '/v1/users', person(2, { email: 'p1@example.com' }))).status).toBe(201);
    expect((await call('PATCH', `/v1/users/${first.id}`, { status: 'active' })).status).toBe(409);
  });

  it.each<[string, unknown]>([
    ['no e-mail', { first_name: 'A' }],
    ['no first name', { email: 'a@b' }],
    ['an unknown field', person(1, { nickname: 'x' })],
    ['a number for a name', person(1, { last_name: 1 })],
    ['no e-mail address', person(1, { email: 'unknown' })],
    ['a list', [1]],
  ])('refuses %s', async (_, body) => expect([400, 422]).toContain((await call('POST', '/v1/users', body)).status));

  it('lists with filters and pages', async () => {
    for (let n = 1; n <= 7; n++) await call('POST', '/v1/users', person(n));
    const seen = new Set<string>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer = await call('GET', `/v1/users?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      for (const user of page.body.data) seen.add(user.external_id);
      cursor = page.body.next_cursor;
    }
    expect(seen.size).toBe(7);
    expect((await call('GET', '/v1/users?email=P3@example.com')).body.data).toHaveLength(1);
    expect((await call('GET', '/v1/users?external_id=x4')).body.data).toHaveLength(1);
  });

  it('shows each key its own users, and none without a key', async () => {
    await call('POST', '/v1/users', person(1));
    key++;
    expect((await call('GET', '/v1/users')).body.data).toEqual([]);
    expect((await send('GET', `${sandbox.url}/v1/users`, null)).status).toBe(401);
  });

  it('answers a repeated Idempotency-Key alike, and applies it once', async () => {
    const again = { 'idempotency-key': `k-${key}` };
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/v1/users', person(1), again)));
    expect(new Set(answers.map((a) => a.text)).size).toBe(1);
    expect(answers.every((a) => a.status === 201)).toBe(true);
    expect((await call('POST', '/v1/users', person(2), again)).status).toBe(422);
    const { data } = (await call('GET', '/v1/calls')).body;
    expect(data.filter((c: { applied: boolean }) => c.applied)).toHaveLength(1);
    expect(data.filter((c: { replayed: boolean }) => c.replayed)).toHaveLength(20);
  });

  it('remembers users and answers over a restart', async () => {
    const first = await call('POST', '/v1/users', person(1), { 'idempotency-key': `r-${key}` });
    const removed = (await call('POST', '/v1/users', person(2))).body;
    await call('DELETE', `/v1/users/${removed.id}`);
    await sandbox.stop();
    sandbox = new SandboxPlatform({ databaseUrl: database.url, port: 0 });
    await sandbox.start();
    expect((await call('GET', '/v1/users')).body.data).toEqual([first.body]);
    expect((await call('POST', '/v1/users', person(1), { 'idempotency-key': `r-${key}` })).body).toEqual(first.body);
    expect((await call('POST', '/v1/users', person(3))).status).toBe(201);
    const { data } = (await call('GET', '/v1/calls')).body;
    const order = data.map((c: { seq: number }) => c.seq);
    expect(order).toEqual([...new Set(order)].sort((a, b) => Number(a) - Number(b)));
  });

  long('changes nothing while its database is away, and continues with what it had', async () => {
    const { id } = (await call('POST', '/v1/users', person(1))).body;
    const name = new URL(database.url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] });
    await admin.connect();
    try {
      await admin.query(`alter database ${name} allow_connections false`);
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [name]);
      for (let n = 0; n < 3; n++) {
        expect(await call('PATCH', `/v1/users/${id}`, { last_name: 'lost' })).toMatchObject({ status: 503 });
        expect(await call('GET', `/v1/users/${id}`)).toMatchObject({ status: 503 });
      }
    } finally {
      await admin.query(`alter database ${name} allow_connections true`);
      await admin.end();
    }
    expect((await call('GET', `/v1/users/${id}`)).body).toMatchObject({ last_name: '' });
    const changed = await Promise.all(
      Array.from({ length: 20 }, (_, n) => call('PATCH', `/v1/users/${id}`, { last_name: `n${n}` })),
    );
    expect(new Set(changed.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await call('GET', '/v1/users')).body.data).toEqual([changed.at(-1)!.body]);
  });

  it('begins anew on request, for one key', async () => {
    await call('POST', '/v1/users', person(1), { 'idempotency-key': 'again' });
    expect((await call('POST', '/v1/reset')).status).toBe(204);
    expect((await call('GET', '/v1/users')).body.data).toEqual([]);
    expect((await call('POST', '/v1/users', person(2), { 'idempotency-key': 'again' })).status).toBe(201);
  });

  it('simulates the requested faults', async () => {
    const set = (faults: object) => send('PUT', `${sandbox.url}/faults`, null, faults);
    expect((await set({ mode: '429', retry_after: 7 })).body).toMatchObject({ mode: '429', rate: 1 });
    const limited = await call('POST', '/v1/users', person(1));
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    await set({ mode: '500' });
    expect((await call('GET', '/v1/users')).status).toBe(500);
    await set({ mode: 'not_found' });
    expect((await call('GET', '/v1/resolve')).status).toBe(404);
    await set({ mode: 'maintenance', status: 200 });
    const page = await call('GET', '/v1/users');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    await set({ mode: 'refuse' });
    await expect(call('GET', '/v1/users')).rejects.toThrow();
    await set({ mode: 'hang' });
    await expect(
      fetch(`${sandbox.url}/v1/users`, {
        headers: { authorization: `Bearer key-${key}` },
        signal: AbortSignal.timeout(100),
      }),
    ).rejects.toThrow();
    expect((await set({ mode: 'none' })).status).toBe(200);
    expect((await send('GET', `${sandbox.url}/faults`, null)).body.mode).toBe('none');
    for (const wrong of [{ mode: 'x' }, { mode: '500', rate: 2 }, { mode: 'slow', delay_ms: -1 }])
      expect((await set(wrong)).status).toBe(422);
  });

  it('loses answers before and after the effect', async () => {
    sandbox.setFaults({ mode: '500', rate: 1 }, `key-${key}`);
    for (let n = 1; n <= 40; n++) await call('POST', '/v1/users', person(n));
    const { data } = (await call('GET', '/v1/calls')).body;
    const faults = new Set(data.map((c: { fault: string; applied: boolean }) => `${c.fault} ${c.applied}`));
    expect(faults).toEqual(new Set(['before:500 false', 'after:500 true']));
    sandbox.setFaults({}, `key-${key}`);
  });

  it('shows received requests as escaped text', async () => {
    await call('POST', '/v1/users', person(1, { first_name: '<script>alert(1)</script>', last_name: '"&\'' }));
    const page = await (await fetch(sandbox.url)).text();
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toContain('<script');
    const form = await fetch(`${sandbox.url}/faults`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ mode: 'slow', rate: '0.5', delay_ms: '1', retry_after: '' }),
    });
    expect(form.status).toBe(303);
    expect((await send('GET', `${sandbox.url}/faults`, null)).body).toMatchObject({
      mode: 'slow',
      rate: 0.5,
      retry_after: null,
    });
  });
});

describe('faults', () => {
  it('affect the requested share, half of them after the effect', () => {
    const faults = { ...NO_FAULTS, mode: '500' as const, rate: 0.1 };
    expect(strikes(faults, 0.1, 0)).toBe('no');
    expect(strikes(faults, 0.09, 0.4)).toBe('before');
    expect(strikes(faults, 0.09, 0.6)).toBe('after');
    expect(strikes({ ...faults, mode: '429' }, 0.09, 0.6)).toBe('before');
  });
  it('are read strictly', () => {
    expect(readFaults({})).toEqual(NO_FAULTS);
    expect(readFaults({ mode: '500', rate: 'a' })).toMatch(/rate/);
  });
});
