import { parseToken } from '../../../src/base/crypto/tokens.js';
import { adminApp, type AdminApp } from '../../support/admin-app.js';
import type { Answer } from '../../support/http.js';

let edge: AdminApp;
beforeAll(async () => {
  edge = await adminApp();
});
afterAll(() => edge.close());

const call = (method: string, path: string, body?: unknown) => edge.call(method, `/api/v1${path}`, { body });
const operate = (method: string, path: string, body?: unknown) =>
  edge.call(method, `/api/v1${path}`, { body, token: edge.operatorToken });
const lastAudit = async () => (await call('GET', '/audit?limit=1')).body.data[0];
const person = async (id: string, role: string) => {
  await edge.db.query(
    `insert into users (tenant_id, id, source, doc, user_name, user_name_key, active, first_name, last_name, role, status, seat)
     values ($1, $2, 'api', '{}', $2, $2, true, 'A', 'B', $3, 'active', 'none')`,
    [edge.tenant.id, id, role],
  );
};

describe('tenants', () => {
  it('begin with three roles and the beginnings of both chains', async () => {
    const made = await operate('POST', '/tenants', { name: ' Example\u00a0Ltd. ', time_zone: 'Europe/Berlin' });
    expect(made).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^ten_/), time_zone: 'Europe/Berlin', owner_user_id: null },
    });
    expect(made.body.api_key).toBeUndefined();
    const rows = async (sql: string) => (await edge.db.query(sql, [made.body.id])).rows;
    expect(await rows(`select name, takes_seat from roles where tenant_id = $1 order by name`)).toEqual([
      { name: 'Admin', takes_seat: true },
      { name: 'Observer', takes_seat: false },
      { name: 'User', takes_seat: true },
    ]);
    expect(
      await rows(`select chain, sequence::int, hash from chain_heads where tenant_id = $1 order by chain`),
    ).toEqual([
      { chain: 'audit', sequence: 0, hash: Buffer.alloc(32) },
      { chain: 'seats', sequence: 0, hash: Buffer.alloc(32) },
    ]);
    expect(await rows(`select action, actor ->> 'kind' as by from audit_entries where tenant_id = $1`)).toEqual([
      { action: 'tenant.created', by: 'operator' },
    ]);
  });

  it('can begin with a key of their own', async () => {
    const { body } = await operate('POST', '/tenants', { name: 'T', api_key: {} });
    expect(parseToken(body.api_key)).toMatchObject({ kind: 'tbk', tenantId: body.id });
    const me = await edge.call('GET', '/api/v1/me', { token: body.api_key });
    expect(me.body).toMatchObject({
      tenant: { id: body.id, name: 'T' },
      api_key: { name: 'first key', expires_at: null },
    });
    expect(me.body.api_key.scopes).toContain('admin');
  });

  it('are listed newest first, page by page', async () => {
    const all = (await operate('GET', '/tenants?limit=200')).body.data.map(({ id }: { id: string }) => id) as string[];
    expect(all).toEqual([...all].sort().reverse());
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer['body'] = (await operate('GET', `/tenants?limit=1${cursor ? `&cursor=${cursor}` : ''}`)).body;
      seen.push(page.data[0].id);
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(all);
  });

  it('are changed by the operator and by their own keys, with a line in their log', async () => {
    expect((await operate('PATCH', `/tenants/${edge.tenant.id}`, { name: 'Renamed' })).body.name).toBe('Renamed');
    const changed = await call('PATCH', '/tenant', { time_zone: 'Asia/Tokyo', api_may_write_directory_users: true });
    expect(changed.body).toMatchObject({
      name: 'Renamed',
      time_zone: 'Asia/Tokyo',
      api_may_write_directory_users: true,
    });
    expect(await lastAudit()).toMatchObject({
      action: 'tenant.changed',
      actor: { kind: 'key' },
      before: { time_zone: 'UTC' },
      after: { time_zone: 'Asia/Tokyo' },
      request_id: changed.headers.get('x-request-id'),
    });
    expect((await call('GET', '/me')).body.tenant.name).toBe('Renamed');
  });

  it('name one of their users as the owner', async () => {
    await person('usr_owner', 'Admin');
    expect((await call('PATCH', '/tenant', { owner_user_id: 'usr_owner' })).body.owner_user_id).toBe('usr_owner');
    const answer = await call('PATCH', '/tenant', { owner_user_id: 'usr_unknown' });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'owner_user_id']);
    expect((await call('PATCH', '/tenant', { owner_user_id: null })).body.owner_user_id).toBeNull();
  });

  it.each([
    ['no name', {}, 'name'],
    ['a time zone that is none', { name: 'T', time_zone: 'Mars/Olympus' }, 'time_zone'],
    ['an offset for a time zone', { name: 'T', time_zone: '+01:00' }, 'time_zone'],
    ['an unknown field', { name: 'T', seat_limit: 5 }, 'seat_limit'],
    ['an unknown scope', { name: 'T', api_key: { scopes: ['everything'] } }, 'api_key.scopes'],
  ])('422: %s', async (_, body, field) => {
    const answer = await operate('POST', '/tenants', body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
  });

  it('404: another id', async () => {
    expect((await operate('GET', '/tenants/ten_x')).status).toBe(404);
    expect((await operate('POST', '/tenants/ten_x/api-keys', { name: 'k', scopes: ['admin'] })).status).toBe(404);
  });

  it('have keys that the operator makes and ends, with a line in their log', async () => {
    const made = await operate('POST', `/tenants/${edge.tenant.id}/api-keys`, { name: 'rescue', scopes: ['admin'] });
    expect((await edge.call('GET', '/api/v1/me', { token: made.body.api_key })).status).toBe(200);
    expect(await lastAudit()).toMatchObject({
      action: 'api_key.created',
      actor: { kind: 'operator' },
      target_id: made.body.id,
    });
    expect((await operate('DELETE', `/tenants/${edge.tenant.id}/api-keys/${made.body.id}`)).status).toBe(204);
    expect((await edge.call('GET', '/api/v1/me', { token: made.body.api_key })).status).toBe(401);
  });
});

describe('roles', () => {
  it('are made, changed, and deleted while unused', async () => {
    expect((await call('POST', '/roles', { name: 'Recruiter', takes_seat: true })).body).toMatchObject({
      name: 'Recruiter',
      takes_seat: true,
      users: 0,
    });
    expect((await call('PATCH', '/roles/Recruiter', { takes_seat: false })).body.takes_seat).toBe(false);
    expect((await call('GET', '/roles/Recruiter')).body.takes_seat).toBe(false);
    expect((await call('DELETE', '/roles/Recruiter')).status).toBe(204);
    expect((await call('DELETE', '/roles/Recruiter')).status).toBe(404);
    expect(await lastAudit()).toMatchObject({ action: 'role.deleted', before: { name: 'Recruiter' }, after: null });
  });

  it('can have any valid name', async () => {
    const name = 'Käufer / Süd 🔑';
    await call('POST', '/roles', { name, takes_seat: false });
    expect((await call('GET', `/roles/${encodeURIComponent(name)}`)).body.name).toBe(name);
  });

  it('409 while users hold them', async () => {
    await call('POST', '/roles', { name: 'Held', takes_seat: true });
    await person('usr_holder', 'Held');
    for (const [method, body] of [
      ['PATCH', { takes_seat: false }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await call(method, '/roles/Held', body);
      expect([answer.status, answer.body.code]).toEqual([409, 'role_in_use']);
    }
    expect((await call('PATCH', '/roles/Held', { takes_seat: true })).status).toBe(200);
    expect((await call('GET', '/roles/Held')).body.users).toBe(1);
  });

  it('409 while a directory gives them, and always for the default role', async () => {
    await call('POST', '/roles', { name: 'Given', takes_seat: true });
    await call('POST', '/directories', { name: 'D', default_role: 'Given' });
    expect((await call('DELETE', '/roles/Given')).status).toBe(409);
    expect((await call('DELETE', '/roles/User')).status).toBe(409);
  });

  it('409 for a name that is taken', async () => {
    const answer = await call('POST', '/roles', { name: 'Admin', takes_seat: true });
    expect([answer.status, answer.body.code]).toEqual([409, 'role_exists']);
  });
});

describe('the audit log', () => {
  it('holds no secret after any operation', async () => {
    const secrets: string[] = [];
    const key = await call('POST', '/api-keys', { name: 'k', scopes: ['admin'] });
    secrets.push(key.body.api_key, (await call('POST', `/api-keys/${key.body.id}/rotate`)).body.api_key);
    const directory = await call('POST', '/directories', { name: 'D' });
    secrets.push(directory.body.scim_token);
    secrets.push((await call('POST', `/directories/${directory.body.id}/tokens`)).body.scim_token);
    const { text } = await call('GET', '/audit?format=ndjson');
    for (const secret of secrets) {
      expect(secret).toMatch(/^tb[ks]_/);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(parseToken(secret)!.hash.toString('hex'));
    }
    expect(edge.lines.join('')).not.toContain(secrets[0]);
  });

  it('is rolled back with its change', async () => {
    const before = (await call('GET', '/audit?limit=1')).body.data[0].id;
    await call('POST', '/directories', { name: 'D', default_role: 'No such role' });
    expect((await call('GET', '/audit?limit=1')).body.data[0].id).toBe(before);
  });

  it('filters by action, actor, target and time', async () => {
    const all = async (query: string) => (await call('GET', `/audit?limit=200&${query}`)).body.data as Answer['body'][];
    const made = await all('action=role.created');
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ action }) => action))).toEqual(new Set(['role.created']));
    expect((await all('actor_id=operator')).every(({ actor }) => actor.kind === 'operator')).toBe(true);
    expect(await all('target_type=role&target_id=Held')).toHaveLength(1);
    expect(await all('since=2999-01-01')).toEqual([]);
    expect((await all('until=2999-01-01')).length).toBeGreaterThan(10);
    expect((await call('GET', '/audit?since=yesterday')).status).toBe(422);
    expect((await call('GET', '/audit?actoin=x')).status).toBe(422);
    expect((await call('GET', '/audit?format=xml')).status).toBe(422);
  });

  it('is exported whole, as CSV without formulas and as NDJSON', async () => {
    await call('POST', '/roles', { name: '=cmd|calc', takes_seat: false });
    const csv = await call('GET', '/audit?format=csv');
    expect(csv.headers.get('content-type')).toMatch('text/csv');
    expect(csv.headers.get('content-disposition')).toContain('audit.csv');
    expect(csv.text).toContain(`,"'=cmd|calc",`);
    const ndjson = await edge.call('GET', '/api/v1/audit', { headers: { accept: 'application/x-ndjson' } });
    const lines = ndjson.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBe(csv.text.trim().split('\r\n').length - 1);
    expect(lines.map(({ id }) => Number(id))).toEqual(lines.map(({ id }) => Number(id)).sort((a, b) => b - a));
  });

  it('cannot be rewritten by the service', async () => {
    await expect(edge.db.query(`update audit_entries set action = 'x'`)).rejects.toThrow('append-only');
    await expect(edge.db.query(`delete from audit_entries`)).rejects.toThrow('append-only');
  });

  it('shows a change made in the database', async () => {
    const tenant = await edge.newTenant();
    const verify = async () => (await edge.call('POST', '/api/v1/audit/verify', { token: tenant.api_key })).body;
    for (const name of ['A', 'B', 'C'])
      await edge.call('POST', '/api/v1/roles', { token: tenant.api_key, body: { name, takes_seat: true } });
    expect(await verify()).toEqual({
      ok: true,
      entries: 5,
      head: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      count: 5,
      closed_through: null,
    });
    const tamper = async (sql: string) => {
      await edge.db.query(`alter table audit_entries disable trigger user`);
      await edge.db.query(sql, [tenant.id]);
      await edge.db.query(`alter table audit_entries enable trigger user`);
    };
    await tamper(`update audit_entries set target_id = 'Z' where tenant_id = $1 and sequence = 4`);
    expect(await verify()).toMatchObject({ ok: false, sequence: 4, code: 'line changed' });
    await tamper(`update audit_entries set target_id = 'B' where tenant_id = $1 and sequence = 4`);
    expect((await verify()).ok).toBe(true);
    await tamper(`delete from audit_entries where tenant_id = $1 and sequence = 5`);
    expect(await verify()).toMatchObject({ ok: false, sequence: 5, code: 'end missing' });
    await tamper(`delete from audit_entries where tenant_id = $1 and sequence = 2`);
    expect(await verify()).toMatchObject({ ok: false, sequence: 2, code: 'line missing' });
  });
});

describe('406', () => {
  it('when the caller accepts no offered type', async () => {
    expect((await edge.call('GET', '/api/v1/me', { headers: { accept: 'application/xml' } })).status).toBe(406);
    for (const accept of ['*/*', 'application/*', 'application/json;q=0.5, text/html', 'text/html, */*;q=0.1']) {
      expect((await edge.call('GET', '/api/v1/me', { headers: { accept } })).status).toBe(200);
    }
  });
});
