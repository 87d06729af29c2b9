import { sharedApp, type TestApp, type TestTenant } from '../../support/app.js';
import { client, send, type Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh, scim, user } from '../../support/scim.js';

let service: TestApp;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  service = await sharedApp();
  tenant = service.tenant;
  api = client(`${service.url}/api/v1`, tenant.apiKey);
});
afterAll(() => service.close());

const person = (more: object = {}) => ({
  email: `${fresh()}@x.example`,
  first_name: 'Ann',
  last_name: 'Other',
  ...more,
});
const made = async (more: object = {}) => {
  const answer = await api.post('/users', person(more));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};

describe('200, 201, 204', () => {
  it.each(['/api', '/api/v1', '/v1'])('%s/users: create, read, change, list, delete', async (prefix) => {
    const by = client(`${service.url}${prefix}`, tenant.apiKey);
    const body = person({ external_id: fresh('E-') });
    const created = await by.post('/users', body);
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`/api/v1/users/${created.body.id}`);
    expect(created.body).toEqual({
      ...body,
      id: expect.stringMatching(/^usr_/),
      role: 'User',
      status: 'active',
      seat: 'held',
      source: 'api',
      managed_by: null,
      held: null,
      held_since: null,
      created_at: expect.any(String),
      updated_at: created.body.created_at,
    });
    const at = `/users/${created.body.id}`;
    expect((await by.get(at)).body).toEqual(created.body);
    const changed = await by.patch(at, { first_name: 'New' });
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...created.body, first_name: 'New', updated_at: expect.any(String) },
    ]);
    const list = await by.get(`/users?external_id=${encodeURIComponent(created.body.external_id)}`);
    expect(list.body).toMatchObject({ data: [changed.body], next_cursor: null });
    const gone = await by.delete(at);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect([(await by.delete(at)).status, (await by.get(at)).status, (await by.patch(at, {})).status]).toEqual([
      404, 404, 404,
    ]);
  });

  it('a PATCH merges fields; an answer that is sent back changes nothing', async () => {
    const before = await made({ external_id: fresh() });
    const back = await api.patch(`/users/${before.id}`, before);
    expect([back.status, back.body]).toEqual([200, before]);
    expect((await api.patch(`/users/${before.id}`, {})).body).toEqual(before);
    const { body } = await api.patch(`/users/${before.id}`, { external_id: null, last_name: '', status: 'inactive' });
    expect(body).toMatchObject({
      external_id: null,
      last_name: '',
      first_name: 'Ann',
      email: before.email,
      status: 'inactive',
      seat: 'none',
    });
    expect((await api.patch(`/users/${before.id}`, { status: 'active', role: 'Observer' })).body).toMatchObject({
      status: 'active',
      seat: 'none',
      role: 'Observer',
    });
  });

  it('read-only attributes are ignored', async () => {
    const answer = await api.post(
      '/users',
      person({
        id: 'usr_x',
        seat: 'none',
        source: 'scim',
        managed_by: { id: 'x' },
        held: 'guard',
        created_at: 'x',
        updated_at: 'x',
      }),
    );
    expect(answer.body).toMatchObject({ seat: 'held', source: 'api', held: null, managed_by: null });
    expect(answer.body.id).not.toBe('usr_x');
  });

  it('text is trimmed and composed; names in all scripts are accepted', async () => {
    const { body } = await api.post('/users', {
      ...person(),
      first_name: '  Zoe\u0308 ',
      last_name: '李 🦊 O’Brien-Ñandú',
    });
    expect([body.first_name, body.last_name]).toEqual(['Zoë', '李 🦊 O’Brien-Ñandú']);
    expect((await api.post('/users', person({ first_name: 'x'.repeat(200) }))).status).toBe(201);
  });

  it('by-external-id creates (201), updates (200), and answers a repetition alike', async () => {
    const key = fresh('a/b c+ü-');
    const at = `/users/by-external-id/${encodeURIComponent(key)}`;
    const body = person();
    const first = await api.put(at, body);
    expect([first.status, first.body.external_id]).toEqual([201, key]);
    const again = await api.put(at, { ...body, external_id: key });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await api.put(at, { ...body, first_name: 'New' })).body).toMatchObject({
      id: first.body.id,
      first_name: 'New',
    });
    expect((await api.put(at, { ...body, external_id: 'other' })).status).toBe(422);
  });

  long('concurrent by-external-id: one 201, the others 200, one user', async () => {
    for (let round = 0; round < 5; round++) {
      const at = `/users/by-external-id/${fresh()}`;
      const body = person();
      const answers = await Promise.all(Array.from({ length: 10 }, () => api.put(at, body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
      expect(new Set(answers.map((each) => each.body.id)).size).toBe(1);
    }
  });

  it('an e-mail and a key are free again once their user is inactive or deleted', async () => {
    const first = await made({ external_id: fresh() });
    const same = { email: first.email.toUpperCase(), first_name: 'B', last_name: 'B', external_id: first.external_id };
    expect((await api.post('/users', same)).body.code).toBe('email_taken');
    await api.patch(`/users/${first.id}`, { status: 'inactive' });
    const second = await api.post('/users', same);
    expect(second.status).toBe(201);
    const back = await api.patch(`/users/${first.id}`, { status: 'active' });
    expect([back.status, back.body.code, back.body.id]).toEqual([409, 'email_taken', second.body.id]);
    // An IdP that is switched on now finds who is active, not who was.
    const { rows } = await service.db.query<{ id: string }>(
      `select id from users where tenant_id = $1 and user_name_key = $2`,
      [tenant.tenantId, first.email],
    );
    expect(rows).toEqual([{ id: second.body.id }]);
    await api.delete(`/users/${second.body.id}`);
    expect((await api.patch(`/users/${first.id}`, { status: 'active' })).body).toMatchObject({
      status: 'active',
      email: first.email,
    });
    // The same holds for an e-mail that is given to another user.
    const third = await made();
    await api.patch(`/users/${first.id}`, { status: 'inactive' });
    expect((await api.patch(`/users/${third.id}`, { email: first.email })).body).toMatchObject({
      email: first.email,
      id: third.id,
    });
  });
});

describe('lists', () => {
  long('filter, and page newest first, stable while others come and go', async () => {
    const own = await service.newTenant();
    const by = client(`${service.url}/api/v1`, own.apiKey);
    const ids: string[] = [];
    for (let i = 0; i < 25; i++) {
      const body = {
        email: `p${i}@x.example`,
        first_name: `F${i}`,
        last_name: '',
        role: i % 5 ? 'User' : 'Observer',
        status: i % 3 ? 'active' : 'inactive',
        external_id: `E${i}`,
      };
      ids.push((await by.post('/users', body)).body.id);
    }
    const found = async (query: string) =>
      (await by.get(`/users?${query}`)).body.data.map((each: { first_name: string }) => each.first_name);
    expect(await found('email=P7@X.example')).toEqual(['F7']);
    expect(await found('email=P9@X.example')).toEqual(['F9']);
    expect(await found('external_id=E7')).toEqual(['F7']);
    expect(await found('external_id=e7')).toEqual([]);
    expect(await found('status=inactive&role=Observer')).toEqual(['F15', 'F0']);
    expect(await found('role=nothing')).toEqual([]);
    expect(await found(`updated_since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    const since = (await by.patch(`/users/${ids[3]}`, { last_name: 'L' })).body.updated_at;
    expect(await found(`updated_since=${since}`)).toEqual(['F3']);

    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: { data: { id: string }[]; next_cursor: string | null } } = await by.get(
        `/users?limit=4${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor;
      await by.post('/users', { email: `${fresh()}@x.example`, first_name: 'later', last_name: '' });
      if (seen.length === 8) await by.delete(`/users/${ids[0]}`);
    }
    expect(seen).toEqual([...ids.slice(1)].reverse());
    expect((await by.get('/users')).body.data).toHaveLength(30);
  });

  it('contain no users of another tenant, nor do their ids, e-mails and keys find one', async () => {
    const other = await service.newTenant();
    const by = client(`${service.url}/api/v1`, other.apiKey);
    const theirs = await made({ external_id: fresh() });
    const unknown = await by.get('/users/usr_unknown');
    for (const [method, body] of [['GET'], ['PATCH', { first_name: 'x' }], ['DELETE']] as const) {
      const answer = await send(method, `${service.url}/api/v1/users/${theirs.id}`, other.apiKey, body);
      expect([method, answer.status, answer.body.code, answer.body.detail]).toEqual([
        method,
        404,
        'not_found',
        unknown.body.detail,
      ]);
    }
    for (const query of [`email=${theirs.email}`, `external_id=${theirs.external_id}`, '']) {
      expect((await by.get(`/users?${query}`)).body.data).toEqual([]);
    }
    expect((await by.get(`/resolve?type=user&external_id=${theirs.external_id}`)).body).toEqual({
      found: false,
      id: null,
      type: 'user',
    });
    const put = await by.put(`/users/by-external-id/${theirs.external_id}`, {
      email: theirs.email,
      first_name: 'a',
      last_name: 'b',
    });
    expect(put.status).toBe(201);
    expect(put.body.id).not.toBe(theirs.id);
    const { body: page } = await api.get('/users?limit=1');
    expect(
      (await by.get(`/users?limit=1&cursor=${page.next_cursor}`)).body.data?.map((each: { id: string }) => each.id) ??
        [],
    ).not.toContain(theirs.id);
  });
});

describe('resolve', () => {
  it('finds by the key, and by a former key', async () => {
    const [old, now] = [fresh('E'), fresh('E')];
    const { id } = await made({ external_id: old });
    const resolve = async (key: string) => (await api.get(`/resolve?type=user&external_id=${key}`)).body;
    expect(await resolve(old)).toEqual({ found: true, id, type: 'user' });
    await api.patch(`/users/${id}`, { external_id: now });
    expect(await resolve(now)).toEqual({ found: true, id, type: 'user' });
    expect(await resolve(old)).toEqual({ found: true, id, type: 'user' });
    expect(
      (await api.put(`/users/by-external-id/${old}`, { email: `${fresh()}@x.example`, first_name: 'N', last_name: '' }))
        .body,
    ).toMatchObject({ id, external_id: now });
    // The user who has the key now is listed before the user who had it once.
    const other = await made({ external_id: old });
    expect(await resolve(old)).toEqual({ found: true, id: other.id, type: 'user' });
    await api.delete(`/users/${id}`);
    expect(await resolve(now)).toEqual({ found: false, id: null, type: 'user' });
    expect(
      (await send('GET', `${service.url}/v1/resolve?type=user&external_id=${old}`, tenant.apiKey)).body.found,
    ).toBe(true);
    for (const query of [
      'type=user',
      'external_id=x',
      'type=planet&external_id=x',
      'type=user&external_id=a&external_id=b',
    ]) {
      expect([query, [400, 422].includes((await api.get(`/resolve?${query}`)).status)]).toEqual([query, true]);
    }
  });
});

describe('409', () => {
  it('email_taken in any letter case, and external_id_taken in the same case, with the id of the user who has it', async () => {
    const { id, email, external_id } = await made({ external_id: fresh('E') });
    const clash = await api.post('/users', person({ email: email.toUpperCase() }));
    expect([clash.status, clash.body.code, clash.body.id]).toEqual([409, 'email_taken', id]);
    const key = await api.post('/users', person({ external_id }));
    expect([key.status, key.body.code, key.body.id]).toEqual([409, 'external_id_taken', id]);
    expect((await api.post('/users', person({ external_id: external_id.toLowerCase() }))).status).toBe(201);
    const mine = await made();
    const moved = await api.patch(`/users/${mine.id}`, { email });
    expect([moved.status, moved.body.code, moved.body.id]).toEqual([409, 'email_taken', id]);
    expect((await api.patch(`/users/${mine.id}`, { external_id })).body.code).toBe('external_id_taken');
    expect((await api.put(`/users/by-external-id/${fresh()}`, person({ email }))).body.code).toBe('email_taken');
    // Who is inactive takes nothing.
    expect((await api.post('/users', person({ email, status: 'inactive' }))).status).toBe(201);
  });

  it('email_taken for all but one of concurrent requests', async () => {
    const body = person();
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.post('/users', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(11).fill(409)]);
    const winner = answers.find(({ status }) => status === 201)!.body.id;
    for (const { status, body: problem } of answers)
      if (status === 409) expect([problem.code, problem.id]).toEqual(['email_taken', winner]);
  });

  it('managed_by_directory with directory and fields, unless the tenant allows the write', async () => {
    const own = await service.newTenant();
    const by = client(`${service.url}/api/v1`, own.apiKey);
    const directory = scim(service.url, own.scimToken);
    const name = `${fresh()}@x.example`;
    const { id } = (await directory.post('/Users', user(name, { name: { givenName: 'G', familyName: 'F' } }))).body;
    const read = (await by.get(`/users/${id}`)).body;
    expect(read).toMatchObject({
      email: name,
      first_name: 'G',
      source: 'scim',
      managed_by: { id: own.directoryId, name: 'Directory' },
    });
    const refused = await by.patch(`/users/${id}`, { first_name: 'X', status: 'inactive', last_name: 'F' });
    expect([refused.status, refused.body.code, refused.body.directory, refused.body.fields]).toEqual([
      409,
      'managed_by_directory',
      { id: own.directoryId, name: 'Directory' },
      ['first_name', 'status'],
    ]);
    expect((await by.delete(`/users/${id}`)).body.code).toBe('managed_by_directory');
    // A value that is already in force changes nothing; no directory owns the role as long as neither rules nor roles give it.
    expect((await by.patch(`/users/${id}`, read)).body).toEqual(read);
    expect((await by.patch(`/users/${id}`, { role: 'Admin' })).body).toMatchObject({ role: 'Admin' });
    await directory.patch(`/Users/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'add', path: 'roles', value: [{ value: 'User' }] }],
    });
    expect((await by.patch(`/users/${id}`, { role: 'Admin' })).body).toMatchObject({
      code: 'managed_by_directory',
      fields: ['role'],
    });
    expect((await by.patch('/tenant', { api_may_write_directory_users: true })).status).toBe(200);
    expect((await by.patch(`/users/${id}`, { first_name: 'X' })).body).toMatchObject({
      first_name: 'X',
      managed_by: { id: own.directoryId },
    });
    // The directory sees what was written.
    expect((await directory.get(`/Users/${id}`)).body.name.givenName).toBe('X');
    expect((await by.delete(`/users/${id}`)).status).toBe(204);
    expect((await directory.get(`/Users/${id}`)).status).toBe(404);
  });
});

describe('422 and 400', () => {
  it.each([
    ['email', { email: undefined }],
    ['email', { email: 'unknown' }],
    ['email', { email: 'a b@x.example' }],
    ['email', { email: `${'x'.repeat(320)}@x.example` }],
    ['email', { email: null }],
    ['email', { email: ['a@x.example'] }],
    ['first_name', { first_name: undefined }],
    ['first_name', { first_name: '  ' }],
    ['first_name', { first_name: 7 }],
    ['first_name', { first_name: 'a\u0000b' }],
    ['first_name', { first_name: 'a\nb' }],
    ['first_name', { first_name: 'x'.repeat(201) }],
    ['last_name', { last_name: undefined }],
    ['last_name', { last_name: null }],
    ['external_id', { external_id: 'x'.repeat(256) }],
    ['external_id', { external_id: 12 }],
    ['external_id', { external_id: '' }],
    ['status', { status: 'deleted' }],
    ['colour', { colour: 'blue' }],
    ['role', { role: 'Boss' }],
    ['role', { role: 'user' }],
  ])('%s: %j', async (field, body) => {
    const answer = await api.post('/users', JSON.stringify({ ...person(), ...body }));
    expect([answer.status, answer.body.code, answer.body.errors?.map((each: { field: string }) => each.field)]).toEqual(
      [422, 'invalid_fields', [field]],
    );
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('an unknown role lists the known ones; every wrong field is named', async () => {
    const { body } = await api.post('/users', person({ role: 'Boss' }));
    expect(body.errors[0].message).toBe('must be one of: Admin, Observer, User');
    const all = await api.post('/users', { first_name: '', colour: 1, hue: 2 });
    expect(all.body.errors.map((each: { field: string }) => each.field).sort()).toEqual([
      'colour',
      'email',
      'first_name',
      'hue',
      'last_name',
    ]);
    const { id } = await made();
    expect((await api.patch(`/users/${id}`, { first_name: null })).body.errors[0].field).toBe('first_name');
    expect((await api.patch(`/users/${id}`, { colour: 1 })).body.errors[0].field).toBe('colour');
  });

  it('__proto__, constructor and prototype are unknown fields', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const text = JSON.stringify(person()).replace('{', `{"${name}":{"polluted":1},`);
      expect([name, (await api.post('/users', text)).status]).toEqual([name, 422]);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1&limit=2',
    'cursor=x',
    'status=gone',
    'updated_since=soon',
    'colour=blue',
    'email=a&email=b',
    'email[]=a',
  ])('the list refuses %s', async (query) => {
    expect([400, 422]).toContain((await api.get(`/users?${query}`)).status);
  });

  it('the list refuses a day that does not exist', async () => {
    expect((await api.get('/users?updated_since=2026-02-30')).status).toBe(422);
  });

  it('400 for invalid JSON, 415 for another type, 413 for a large body', async () => {
    expect((await api.post('/users', '{"email":')).body.code).toBe('malformed_json');
    expect((await api.post('/users', '[]')).status).toBeGreaterThanOrEqual(400);
    expect((await api.post('/users', 'x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await api.post('/users', person({ first_name: 'x'.repeat(1024 * 1024) }))).status).toBe(413);
    expect((await api.post('/users')).status).toBe(422);
  });
});

describe('401, 403, 405', () => {
  it('401 without a key, 403 without the scope, 405 for an unknown method', async () => {
    expect((await client(`${service.url}/api/v1`, null).get('/users')).status).toBe(401);
    const key = (await api.post('/api-keys', { name: 'reader', scopes: ['users:read'] })).body;
    const reader = client(`${service.url}/api/v1`, key.api_key ?? key.key ?? key.token);
    expect((await reader.get('/users')).status).toBe(200);
    const refused = await reader.post('/users', person());
    expect([refused.status, refused.text.includes('users:write')]).toEqual([403, true]);
    for (const [method, path] of [
      ['PUT', '/users'],
      ['POST', '/users/usr_x'],
      ['DELETE', '/users'],
      ['GET', '/users/by-external-id/x'],
    ] as const) {
      const { status } = await send(
        method,
        `${service.url}/api/v1${path}`,
        tenant.apiKey,
        method === 'GET' || method === 'DELETE' ? undefined : {},
      );
      expect([method, path, status]).toEqual([method, path, 405]);
    }
  });
});

describe('idempotency', () => {
  it('the same key and body give the first answer again; another body is 422; a refusal is not kept', async () => {
    const body = person();
    const headers = { 'idempotency-key': fresh('k') };
    const first = await api.post('/users', body, headers);
    const again = await api.post('/users', body, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await api.post('/users', person(), headers)).status).toBe(422);
    // Another tenant's key of the same text is another key.
    const other = await service.newTenant();
    expect((await client(`${service.url}/api/v1`, other.apiKey).post('/users', body, headers)).status).toBe(201);
    const at = await Promise.all(
      Array.from({ length: 8 }, () =>
        api.post(
          '/users',
          { ...body, email: `again-${body.email}` },
          { 'idempotency-key': `${headers['idempotency-key']}2` },
        ),
      ),
    );
    expect(at.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(new Set(at.filter(({ status }) => status === 201).map((each) => each.body.id)).size).toBe(1);
  });
});
