import { sharedApp, type TestApp, type TestTenant } from '../../support/app.js';
import { candidate, eventsOf } from '../../support/candidates.js';
import { client, send, type Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh } from '../../support/scim.js';

let service: TestApp;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  service = await sharedApp();
  tenant = service.tenant;
  api = client(`${service.url}/api/v1`, tenant.apiKey);
});
afterAll(() => service.close());

const made = async (more: object = {}) => {
  const answer = await api.post('/candidates', candidate(more));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
const eventNames = async (id: string) => (await eventsOf(service, tenant.tenantId, id)).map(({ event }) => event);
const keyed = (key: string) => `/candidates/by-external-id/${encodeURIComponent(key)}`;

describe('200, 201, 204', () => {
  it.each(['/api', '/api/v1', '/v1'])('%s/candidates: create, read, change, list, delete', async (prefix) => {
    const by = client(`${service.url}${prefix}`, tenant.apiKey);
    const body = candidate({ metadata: { ats: 'greenhouse', ats_priority: 'high' } });
    const created = await by.post('/candidates', body);
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`/api/v1/candidates/${created.body.id}`);
    expect(created.body).toEqual({
      ...body,
      id: expect.stringMatching(/^cand_/),
      job_title: null,
      stage: null,
      ats_status: null,
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

  it('a PATCH merges fields; an answer that is sent back changes nothing', async () => {
    const before = await made({ metadata: { a: 1 }, job_title: 'Engineer' });
    expect((await api.patch(`/candidates/${before.id}`, before)).body).toEqual(before);
    expect((await api.patch(`/candidates/${before.id}`, {})).body).toEqual(before);
    expect(await eventNames(before.id)).toEqual(['candidate.created']);
    const { body } = await api.patch(`/candidates/${before.id}`, { last_name: '', metadata: { b: 2 } });
    expect(body).toEqual({ ...before, last_name: '', metadata: { b: 2 }, updated_at: expect.any(String) });
    expect((await api.patch(`/candidates/${before.id}`, { metadata: null, job_title: null })).body).toMatchObject({
      metadata: {},
      job_title: null,
    });
  });

  it('text is trimmed and composed; an e-mail can be that of several candidates', async () => {
    const email = `${fresh('Shared.')}@x.example`;
    const { body } = await api.post('/candidates', candidate({ first_name: '  Zoe\u0308 ', last_name: '', email }));
    expect([body.first_name, body.last_name]).toEqual(['Zoë', '']);
    const other = await made({ email: email.toUpperCase() });
    const found = await api.get(`/candidates?email=${encodeURIComponent(email.toLowerCase())}`);
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([other.id, body.id]);
  });

  it('if_exists=return returns the existing candidate unchanged', async () => {
    const before = await made();
    const again = candidate({ external_id: before.external_id });
    const answer = await api.post('/candidates?if_exists=return', again);
    expect([answer.status, answer.body]).toEqual([200, before]);
    expect(answer.headers.get('location')).toBeNull();
    expect((await api.post('/candidates?if_exists=return', candidate())).status).toBe(201);
  });

  it('if_exists=update applies the differences, and records one event', async () => {
    const before = await made({ metadata: { kept: true } });
    const { id, created_at, updated_at, metadata, ...fields } = before;
    expect((await api.post('/candidates?if_exists=update', fields)).body).toEqual(before);
    const answer = await api.post('/candidates?if_exists=update', { ...fields, first_name: 'Other' });
    expect([answer.status, answer.body]).toEqual([
      200,
      { id, ...fields, metadata, first_name: 'Other', created_at, updated_at: expect.any(String) },
    ]);
    expect(answer.body.updated_at > updated_at).toBe(true);
    expect(await eventNames(id)).toEqual(['candidate.created', 'candidate.updated']);
  });

  it('by-external-id creates (201), updates (200), and answers a repetition alike', async () => {
    const key = fresh('a/b c+ü-');
    const body = { first_name: 'A', last_name: 'B', email: 'a@x.example', metadata: { n: 1 } };
    const first = await api.put(keyed(key), body);
    expect([first.status, first.body.external_id]).toEqual([201, key]);
    const again = await api.put(keyed(key), { ...body, external_id: key });
    expect([again.status, again.text]).toEqual([200, first.text]);
    const { metadata: _, ...without } = body;
    expect((await api.put(keyed(key), { ...without, first_name: 'New' })).body).toMatchObject({
      id: first.body.id,
      first_name: 'New',
      metadata: { n: 1 },
    });
  });

  it('an Idempotency-Key gives the first answer again, letter for letter', async () => {
    const headers = { 'idempotency-key': fresh() };
    const text = JSON.stringify(candidate()).replace('}', ',"metadata":{"big":123456789012345678}}');
    const first = await send('POST', `${service.url}/api/v1/candidates`, tenant.apiKey, text, headers);
    const again = await send('POST', `${service.url}/api/v1/candidates`, tenant.apiKey, text, headers);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(first.text).toContain('123456789012345678');
  });
});

it('records one event for a candidate through each channel, with the data of the API', async () => {
  const doors = ['/api', '/api/v1', '/v1'].flatMap((prefix) => {
    const by = client(`${service.url}${prefix}`, tenant.apiKey);
    return [
      () => by.post('/candidates', candidate()),
      () => by.post('/candidates?if_exists=return', candidate()),
      () => by.post('/candidates?if_exists=update', candidate()),
      () => by.put(keyed(fresh('door-')), { first_name: 'A', last_name: 'B', email: 'door@x.example' }),
    ];
  });
  for (const open of doors) {
    const { status, text, body } = await open();
    expect(status).toBe(201);
    expect(await eventsOf(service, tenant.tenantId, body.id)).toEqual([
      { event: 'candidate.created', data: text.replace(/}$/, ',"sequence":1}') },
    ]);
  }
});

describe('409', () => {
  it('names the first candidate when a second one has its external_id', async () => {
    const { id, external_id } = await made();
    const answer = await api.post('/candidates', candidate({ external_id }));
    expect([answer.status, answer.body]).toEqual([
      409,
      expect.objectContaining({ code: 'external_id_taken', id, status: 409 }),
    ]);
    const other = await made();
    expect((await api.patch(`/candidates/${other.id}`, { external_id })).body).toMatchObject({
      code: 'external_id_taken',
      id,
    });
    expect(await eventNames(other.id)).toEqual(['candidate.created']);
  });

  it('twenty at once: creates one, answers nineteen with its id, and writes one event', async () => {
    const external_id = fresh('at-once-');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.post('/candidates', candidate({ external_id }))),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    const { id } = created[0]!.body;
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.map(({ body }) => [body.code, body.id])).toEqual(
      Array.from({ length: 19 }, () => ['external_id_taken', id]),
    );
    expect(await eventNames(id)).toEqual(['candidate.created']);
  });

  it('answers other concurrent forms with one 201, and creates one candidate', async () => {
    const external_id = fresh('any-form-');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => {
        const body = candidate({ external_id, email: 'same@x.example' });
        if (i % 3 === 0) return api.post('/candidates?if_exists=return', body);
        return i % 3 === 1 ? api.post('/candidates?if_exists=update', body) : api.put(keyed(external_id), body);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 11 }, () => 200), 201]);
    const id = answers[0]!.body.id;
    expect(answers.every(({ body }) => body.id === id)).toBe(true);
    expect(await eventNames(id)).toEqual(['candidate.created']);
  });
});

describe('422', () => {
  it.each([
    ['first_name', { first_name: '' }],
    ['first_name', { first_name: 'x'.repeat(201) }],
    ['last_name', { last_name: undefined }],
    ['email', { email: 'no address' }],
    ['email', { email: `${'x'.repeat(320)}@x.example` }],
    ['external_id', { external_id: 'x'.repeat(256) }],
    ['external_id', { external_id: null }],
    ['job_title', { job_title: 'x'.repeat(201) }],
    ['metadata', { metadata: 'text' }],
    ['metadata', { metadata: ['a'] }],
    ['metadata', { metadata: { a: 'x'.repeat(16_385) } }],
    ['color', { color: 'red' }],
  ])('%s: %j', async (field, more) => {
    const answer = await api.post('/candidates', candidate(more));
    expect([answer.status, answer.body.code, answer.body.errors.map((one: { field: string }) => one.field)]).toEqual([
      422,
      'invalid_fields',
      [field],
    ]);
  });

  it.each([
    ['if_exists=overwrite', 'if_exists'],
    ['x=1', 'x'],
  ])('?%s', async (query, field) => {
    expect((await api.post(`/candidates?${query}`, candidate())).body.errors[0].field).toBe(field);
  });

  it('an external_id in the address that differs from the body, or is invalid', async () => {
    expect((await api.put(keyed('a'), candidate({ external_id: 'b' }))).body.errors[0].field).toBe('external_id');
    const { external_id: _, ...body } = candidate();
    for (const key of ['x'.repeat(256), '\u0007', '  ']) {
      expect((await api.put(keyed(key), body)).body.errors[0].field).toBe('external_id');
    }
  });
});

describe('concurrent writes', () => {
  it('apply every PATCH of one candidate, in sequences without a gap', async () => {
    const { id } = await made();
    const names = Array.from({ length: 24 }, (_, i) => `N${i}`);
    const answers = await Promise.all(names.map((first_name) => api.patch(`/candidates/${id}`, { first_name })));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const events = await eventsOf(service, tenant.tenantId, id);
    expect(events.map(({ data }) => JSON.parse(data).sequence)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
    expect(JSON.parse(events.at(-1)!.data).first_name).toBe((await api.get(`/candidates/${id}`)).body.first_name);
  });

  long('miss no write with the updated_since of the last answer', async () => {
    const seen = new Map<string, string>();
    const written = new Map<string, string>();
    let since = (await api.get('/candidates?limit=1')).body.next_updated_since as string;
    let over = false;
    const reader = (async () => {
      for (let last = false; !last;) {
        last = over;
        let cursor = '';
        let next = since;
        do {
          const page = (await api.get(`/candidates?limit=200&updated_since=${since}${cursor}`)).body;
          if (cursor === '') next = page.next_updated_since;
          for (const { id, first_name } of page.data) seen.set(id, first_name);
          cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
        } while (cursor !== '');
        since = next;
      }
    })();
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; i < 12; i++) {
          const { id } = await made({ first_name: 'First' });
          await api.patch(`/candidates/${id}`, { first_name: `W${writer}-${i}` });
          written.set(id, `W${writer}-${i}`);
        }
      }),
    );
    over = true;
    await reader;
    expect([...written].filter(([id, name]) => seen.get(id) !== name)).toEqual([]);
  });
});

describe('lists', () => {
  it('are read by cursor, newest first, and filtered by ats_priority', async () => {
    const own = await service.newTenant();
    const by = client(`${service.url}/api/v1`, own.apiKey);
    for (let i = 0; i < 7; i++) {
      await by.post(
        '/candidates',
        candidate({ external_id: `l-${i}`, metadata: { ats_priority: i % 2 ? 'high' : 7 } }),
      );
    }
    const walk = async (query: string) => {
      const found: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await by.get(`/candidates?limit=2${query}${cursor}`);
        found.push(...body.data.map((one: { external_id: string }) => one.external_id));
        if (body.next_cursor === null) return found;
        cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
      }
    };
    const sorted = async (query: string) => (await walk(query)).sort();
    expect(await sorted('')).toEqual(['l-0', 'l-1', 'l-2', 'l-3', 'l-4', 'l-5', 'l-6']);
    expect(await sorted('&ats_priority=high')).toEqual(['l-1', 'l-3', 'l-5']);
    expect(await sorted('&ats_priority=7')).toEqual([]);
    const since = encodeURIComponent('2020-01-01T00:00:00Z');
    expect(await sorted(`&ats_priority=high&updated_since=${since}`)).toEqual(['l-1', 'l-3', 'l-5']);
    expect((await by.get('/candidates?status=x')).status).toBe(422);
  });
});
