import { sharedApp, type TestApp, type TestTenant } from '../../support/app.js';
import { candidate, eventsOf } from '../../support/candidates.js';
import { client, type Answer, type Client } from '../../support/http.js';

let service: TestApp;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  service = await sharedApp();
  tenant = service.tenant;
  api = client(`${service.url}/api/v1`, tenant.apiKey);
});
afterAll(() => service.close());

const PLAN = {
  starts_at: '2026-03-05T13:00:00.000Z',
  ends_at: '2026-03-05T13:45:00.000Z',
  time_zone: 'Europe/Zurich',
  interviewers: ['Ada Lovelace <ada@example.com>'],
};
const made = async (more: object = {}): Promise<Answer['body']> =>
  demand(await api.post('/candidates', candidate(more)), 201);
const scheduled = async (more: object = {}): Promise<Answer['body']> =>
  demand(await api.post(`/candidates/${(await made()).id}/interviews`, { ...PLAN, ...more }), 201);
const demand = (answer: Answer, status: number): Answer['body'] => {
  if (answer.status !== status) throw new Error(answer.text);
  return answer.body;
};
const told = async (id: string) =>
  (await eventsOf(service, tenant.tenantId, id)).map(({ event, data }) => ({ event, data: JSON.parse(data) }));
const moved = (id: string, state: string) => api.patch(`/interviews/${id}`, { state });
const fieldsOf = ({ status, body }: Answer): unknown => [status, body.errors?.map((e: { field: string }) => e.field)];

describe('200, 201', () => {
  it.each(['/api/v1', '/v1'])('%s: schedule, read, list, move', async (prefix) => {
    const by = client(`${service.url}${prefix}`, tenant.apiKey);
    const { id: candidateId } = await made();
    const created = await by.post(`/candidates/${candidateId}/interviews`, PLAN);
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect(created.headers.get('location')).toBe(`/api/v1/interviews/${id}`);
    expect(created.body).toEqual({
      ...PLAN,
      id: expect.stringMatching(/^int_/),
      candidate_id: candidateId,
      job_id: null,
      state: 'scheduled',
      meeting_url: expect.stringMatching(`/i/${tenant.tenantId}/${id}$`),
      meeting_source: 'sandbox',
      meeting_state: 'ready',
      meeting_reason: null,
      created_at: expect.any(String),
      updated_at: created.body.created_at,
    });
    expect((await by.get(`/interviews/${id}`)).body).toEqual(created.body);
    const later = { starts_at: '2026-03-06T09:00:00.000Z', ends_at: '2026-03-06T10:00:00.000Z' };
    const changed = await by.patch(`/interviews/${id}`, later);
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...created.body, ...later, updated_at: expect.any(String) },
    ]);
    for (const list of [`/candidates/${candidateId}/interviews`, `/interviews?candidate_id=${candidateId}`]) {
      expect((await by.get(list)).body).toEqual({
        data: [changed.body],
        next_cursor: null,
        next_updated_since: expect.any(String),
      });
    }
    expect((await by.get(`/candidates/${candidateId}/interviews?state=completed`)).body.data).toEqual([]);
  });

  it('an answer that is sent back changes nothing', async () => {
    const body = await scheduled();
    expect((await api.patch(`/interviews/${body.id}`, body)).body).toEqual(body);
    expect(await told(body.id)).toHaveLength(1);
  });

  it('the opening is that of the candidate, unless the request names another one or null', async () => {
    const { id: job } = (await api.put('/jobs/by-external-id/gh_1', { title: 'Engineer' })).body;
    const { id: other } = (await api.put('/jobs/by-external-id/gh_2', { title: 'Writer' })).body;
    const { id } = await made({ metadata: { job_opening_id: 'gh_1' } });
    const jobs = [{}, { job_id: other }, { job_id: null }];
    const found = await Promise.all(
      jobs.map(async (more) => (await api.post(`/candidates/${id}/interviews`, { ...PLAN, ...more })).body.job_id),
    );
    expect(found).toEqual([job, other, null]);
  });

  it('a page continues after the one before', async () => {
    const { id } = await made();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await api.post(`/candidates/${id}/interviews`, PLAN)).body.id);
    const first = (await api.get(`/interviews?candidate_id=${id}&limit=2`)).body;
    const next = (await api.get(`/interviews?candidate_id=${id}&limit=2&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...next.data].map((one: { id: string }) => one.id)).toEqual(ids);
    expect(next.next_cursor).toBeNull();
  });
});

describe('events', () => {
  it('scheduled, moved, cancelled: the interview with its candidate, numbered', async () => {
    const person = await made();
    const { body } = await api.post(`/candidates/${person.id}/interviews`, PLAN);
    await api.patch(`/interviews/${body.id}`, { interviewers: [] });
    const cancelled = await moved(body.id, 'cancelled');
    const common = { candidate_external_id: person.external_id };
    expect(await told(body.id)).toEqual([
      { event: 'interview.scheduled', data: { ...body, ...common, sequence: 1 } },
      {
        event: 'interview.scheduled',
        data: { ...body, ...common, interviewers: [], updated_at: expect.any(String), sequence: 2 },
      },
      { event: 'interview.cancelled', data: { ...cancelled.body, ...common, sequence: 3 } },
    ]);
  });

  it('begun, ended without a scorecard: one event, whose scorecard is null', async () => {
    const { id } = await scheduled();
    await moved(id, 'in_progress');
    await moved(id, 'completed');
    const events = await told(id);
    expect(events.map(({ event }) => event)).toEqual(['interview.scheduled', 'interview.completed']);
    expect(events[1]!.data).toMatchObject({ state: 'completed', scorecard: null });
  });
});

describe('404', () => {
  it('unknown candidates and interviews', async () => {
    const body = await scheduled();
    await api.delete(`/candidates/${body.candidate_id}`);
    const answers = [
      await api.post('/candidates/cand_x/interviews', PLAN),
      await api.get('/candidates/cand_x/interviews'),
      await api.get('/interviews/int_x'),
      await api.patch('/interviews/int_x', {}),
      await api.get(`/interviews/${body.id}`),
      await api.post(`/candidates/${body.candidate_id}/interviews`, PLAN),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  });
});

describe('409', () => {
  const ALLOWED = {
    scheduled: ['in_progress', 'cancelled', 'no_show'],
    in_progress: ['completed', 'cancelled', 'no_show'],
    completed: [],
    cancelled: [],
    no_show: [],
  };
  const way = (state: string): string[] =>
    state === 'scheduled' ? [] : state === 'completed' ? ['in_progress', state] : [state];

  it.each(Object.entries(ALLOWED))('%s moves to %j alone', async (state, allowed) => {
    for (const to of Object.keys(ALLOWED).filter((one) => one !== state)) {
      const { id } = await scheduled();
      for (const step of way(state)) demand(await moved(id, step), 200);
      const { status, body } = await moved(id, to);
      if ((allowed as string[]).includes(to)) expect([to, status]).toEqual([to, 200]);
      else expect([to, status, body]).toMatchObject([to, 409, { code: 'illegal_state', state, allowed }]);
    }
  });

  it('an interview that has begun keeps its plan', async () => {
    const { id } = await scheduled();
    await moved(id, 'in_progress');
    const { status, body } = await api.patch(`/interviews/${id}`, { ends_at: '2026-03-05T14:00:00Z' });
    expect([status, body.code, body.detail]).toEqual([409, 'illegal_state', expect.stringContaining('ends_at')]);
  });
});

describe('422', () => {
  it.each([
    [{ ends_at: PLAN.starts_at }, 'ends_at'],
    [{ ends_at: '2026-03-06T13:00:01Z' }, 'ends_at'],
    [{ starts_at: 'tomorrow' }, 'starts_at'],
    [{ starts_at: undefined }, 'starts_at'],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ time_zone: '+02:00' }, 'time_zone'],
    [{ interviewers: 'Ada' }, 'interviewers'],
    [{ interviewers: ['a', 'a'] }, 'interviewers'],
    [{ interviewers: Array.from({ length: 21 }, (_, n) => `p${n}`) }, 'interviewers'],
    [{ interviewers: ['a\u0000'] }, 'interviewers'],
    [{ job_id: 'job_x' }, 'job_id'],
    [{ room: 'A1' }, 'room'],
  ])('%j is refused by its field', async (more, field) => {
    const { id } = await made();
    expect(fieldsOf(await api.post(`/candidates/${id}/interviews`, { ...PLAN, ...more }))).toEqual([422, [field]]);
    expect((await api.get(`/candidates/${id}/interviews`)).body.data).toEqual([]);
  });

  it('a move to times in the wrong order, an unknown state or filter', async () => {
    const { id } = await scheduled();
    expect(fieldsOf(await api.patch(`/interviews/${id}`, { starts_at: '2026-04-01T00:00:00Z' }))).toEqual([
      422,
      ['ends_at'],
    ]);
    expect(fieldsOf(await moved(id, 'done'))).toEqual([422, ['state']]);
    expect(fieldsOf(await api.get('/interviews?state=done'))).toEqual([422, ['state']]);
    expect(fieldsOf(await api.get('/interviews?room=A1'))).toEqual([422, ['room']]);
  });
});
