import { sharedApp, type TestApp } from '../../support/app.js';
import { eventsOf } from '../../support/candidates.js';
import { client, type Client } from '../../support/http.js';
import { fresh } from '../../support/scim.js';

let service: TestApp;
let api: Client;
beforeAll(async () => {
  service = await sharedApp();
  api = client(`${service.url}/api/v1`, service.tenant.apiKey);
});
afterAll(() => service.close());

const keyed = (key: string) => `/jobs/by-external-id/${encodeURIComponent(key)}`;
const events = (id: string) => eventsOf(service, service.tenant.tenantId, id);

describe('200, 201, 204', () => {
  it.each(['/api', '/api/v1', '/v1'])('%s/jobs: put, read, list, close', async (prefix) => {
    const by = client(`${service.url}${prefix}`, service.tenant.apiKey);
    const key = fresh('bh_');
    const created = await by.put(keyed(key), { title: 'Backend Engineer', ats: 'bullhorn', location: 'Zürich' });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^job_/),
        external_id: key,
        ats: 'bullhorn',
        ats_connection_id: null,
        title: 'Backend Engineer',
        status: 'open',
        department: null,
        location: 'Zürich',
        employment_type: null,
        url: null,
        opened_at: created.body.created_at,
        closed_at: null,
        created_at: expect.any(String),
        updated_at: created.body.created_at,
      },
    ]);
    const at = `/jobs/${created.body.id}`;
    expect((await by.get(at)).body).toEqual(created.body);
    const again = await by.put(keyed(key), created.body);
    expect([again.status, again.body]).toEqual([200, created.body]);
    const changed = await by.put(keyed(key), { title: 'Backend Engineer', department: 'R&D', location: null });
    expect(changed.body).toEqual({
      ...created.body,
      department: 'R&D',
      location: null,
      updated_at: expect.any(String),
    });
    expect((await by.get(`/jobs?external_id=${key}`)).body.data).toEqual([changed.body]);
    expect([(await by.delete(at)).status, (await by.delete(at)).status]).toEqual([204, 204]);
    const closed = (await by.get(at)).body;
    expect(closed).toMatchObject({ status: 'closed', closed_at: closed.updated_at });
    const reopened = (await by.put(keyed(key), { title: 'Backend Engineer', status: 'open' })).body;
    expect(reopened).toMatchObject({ status: 'open', closed_at: null, opened_at: created.body.opened_at });
    const told = await events(created.body.id);
    expect(told.map(({ event, data }) => [event, JSON.parse(data).sequence])).toEqual(
      [1, 2, 3, 4].map((sequence) => ['job.synced', sequence]),
    );
    expect(JSON.parse(told[0]!.data)).toEqual({ ...created.body, sequence: 1 });
  });

  it('filters by status and ats, and walks by cursor', async () => {
    const by = client(`${service.url}/api/v1`, (await service.newTenant()).apiKey);
    for (let i = 0; i < 6; i++) {
      const status = ['open', 'closed', 'draft'][i % 3];
      await by.put(keyed(`j-${i}`), { title: `T${i}`, status, ats: i < 3 ? 'a' : 'b' });
    }
    const found = async (query: string) =>
      (await by.get(`/jobs?${query}`)).body.data.map((one: { external_id: string }) => one.external_id).sort();
    expect(await found('status=open')).toEqual(['j-0', 'j-3']);
    expect(await found('ats=b')).toEqual(['j-3', 'j-4', 'j-5']);
    expect(await found('ats=b&status=draft')).toEqual(['j-5']);
    expect(await found('updated_since=2020-01-01')).toHaveLength(6);
    const first = (await by.get('/jobs?limit=4')).body;
    const second = (await by.get(`/jobs?limit=4&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([4, 2, null]);
  });

  it('twenty at once: makes one opening, and one event for each change', async () => {
    const key = fresh('at-once-');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.put(keyed(key), { title: `T${i % 4}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    const sequences = (await events(answers[0]!.body.id)).map(({ data }) => JSON.parse(data).sequence);
    expect(sequences).toEqual(sequences.map((_, i) => i + 1));
  });
});

describe('404, 422', () => {
  it('an unknown opening', async () => {
    for (const answer of await Promise.all([api.get('/jobs/job_x'), api.delete('/jobs/job_x')])) {
      expect([answer.status, answer.body.detail]).toEqual([404, 'No such job.']);
    }
  });

  it.each([
    ['title', { title: '' }],
    ['title', {}],
    ['status', { title: 'T', status: 'paused' }],
    ['url', { title: 'T', url: 'javascript:alert(1)' }],
    ['opened_at', { title: 'T', opened_at: 'yesterday' }],
    ['salary', { title: 'T', salary: 1 }],
    ['external_id', { title: 'T', external_id: 'another' }],
  ])('%s: %j', async (field, body) => {
    const answer = await api.put(keyed(fresh()), body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
  });

  it('an unknown status', async () => {
    expect((await api.get('/jobs?status=paused')).body.errors[0].field).toBe('status');
  });
});
