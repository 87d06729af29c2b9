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

const CARD = {
  overall: 4.2,
  recommendation: 'advance',
  summary: 'Solid system design;\nconcise answers.',
  criteria: [{ name: 'Design', score: 4, scale: { min: 1, max: 5 }, evidence: 'Named the bottleneck.' }],
  link: 'https://app.example.com/scorecards/1',
};
const PLAN = { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T13:45:00Z' };
const scheduled = async (): Promise<string> => {
  const { id } = (await api.post('/candidates', candidate())).body;
  return (await api.post(`/candidates/${id}/interviews`, PLAN)).body.id;
};
const put = (id: string, body: object) => api.put(`/interviews/${id}/scorecard`, body);
const completions = async (id: string) =>
  (await eventsOf(service, tenant.tenantId, id))
    .filter(({ event }) => event === 'interview.completed')
    .map(({ data }) => JSON.parse(data));

describe('200, 201', () => {
  it.each([[[]], [['in_progress']], [['in_progress', 'completed']]])('completes after %j', async (states) => {
    const id = await scheduled();
    for (const state of states) await api.patch(`/interviews/${id}`, { state });
    const { status, body } = await put(id, CARD);
    expect([status, body]).toEqual([201, { interview_id: id, version: 1, ...CARD, created_at: expect.any(String) }]);
    expect((await api.get(`/interviews/${id}/scorecard`)).body).toEqual(body);
    expect((await api.get(`/interviews/${id}`)).body.state).toBe('completed');
    const { criteria: _, ...summary } = CARD;
    expect((await completions(id)).at(-1)).toMatchObject({
      id,
      state: 'completed',
      scorecard: { version: 1, ...summary },
    });
  });

  it('numbers versions, shows the newest, and makes none of a repetition', async () => {
    const id = await scheduled();
    const first = await put(id, CARD);
    const again = await put(id, { ...CARD, version: 1 });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const second = await put(id, { ...CARD, overall: 3, version: 2 });
    expect([second.status, second.body.version]).toEqual([201, 2]);
    expect((await put(id, CARD)).body.version).toBe(3);
    expect((await api.get(`/interviews/${id}/scorecard?version=2`)).body.overall).toBe(3);
    expect((await api.get(`/interviews/${id}/scorecard`)).body.version).toBe(3);
    expect((await completions(id)).map((data) => [data.scorecard.version, data.sequence])).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
  });

  it('keeps each of 20 concurrent versions', async () => {
    const id = await scheduled();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, overall) => put(id, { overall })));
    const versions = answers.map(({ body }) => body.version as number).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect((await completions(id)).map(({ scorecard }) => scorecard.version)).toEqual(versions);
  });

  it('records ids alone when the summary is over 20 kB', async () => {
    const id = await scheduled();
    expect((await put(id, { summary: '\u{10ffff}'.repeat(7_000) })).status).toBe(201);
    expect(await completions(id)).toEqual([{ id, sequence: 2 }]);
  });
});

describe('404', () => {
  it('for an unknown interview, scorecard or version', async () => {
    const id = await scheduled();
    const paths = ['/interviews/int_x/scorecard', `/interviews/${id}/scorecard`];
    const statuses = async () => Promise.all(paths.map(async (path) => (await api.get(path)).status));
    expect(await statuses()).toEqual([404, 404]);
    await put(id, CARD);
    expect((await api.get(`/interviews/${id}/scorecard?version=2`)).status).toBe(404);
    expect((await put('int_x', CARD)).status).toBe(404);
  });
});

describe('409', () => {
  it('names the next version when another one is sent', async () => {
    const id = await scheduled();
    for (const version of [2, 7]) {
      expect((await put(id, { ...CARD, version })).body).toMatchObject({ code: 'scorecard_version', next_version: 1 });
    }
    await put(id, CARD);
    const other = await put(id, { ...CARD, overall: 1, version: 1 });
    expect([other.status, other.body.next_version]).toEqual([409, 2]);
  });

  it.each(['cancelled', 'no_show'])('for a %s interview', async (state) => {
    const id = await scheduled();
    await api.patch(`/interviews/${id}`, { state });
    const { status, body } = await put(id, CARD);
    expect([status, body]).toMatchObject([409, { code: 'illegal_state', state, allowed: [] }]);
    expect(await completions(id)).toEqual([]);
  });
});

describe('422', () => {
  const line = (more: object) => ({ criteria: [{ ...CARD.criteria[0], ...more }] });
  it.each([
    [{}, 'overall'],
    [{ overall: 'good' }, 'overall'],
    [{ version: 0, overall: 1 }, 'version'],
    [{ summary: 'a\u0007' }, 'summary'],
    [{ summary: 'x'.repeat(8_001) }, 'summary'],
    [{ link: 'javascript:alert(1)', overall: 1 }, 'link'],
    [line({ score: 6 }), 'criteria.0.score'],
    [line({ scale: null }), 'criteria.0.scale'],
    [line({ scale: { min: 5, max: 5 } }), 'criteria.0.scale.max'],
    [line({ name: undefined }), 'criteria.0.name'],
    [line({ mood: 'well' }), 'criteria.0.mood'],
    [{ criteria: Array.from({ length: 51 }, () => CARD.criteria[0]) }, 'criteria'],
    [{ criteria: Array.from({ length: 50 }, () => ({ name: 'n', evidence: 'x'.repeat(3_000) })) }, 'criteria'],
  ])('%j is refused by its field', async (body, field) => {
    const id = await scheduled();
    const answer: Answer = await put(id, body);
    expect([answer.status, answer.body.errors?.map((e: { field: string }) => e.field)]).toEqual([422, [field]]);
    expect((await api.get(`/interviews/${id}`)).body.state).toBe('scheduled');
  });

  it('for a version in the query that is no number', async () => {
    expect((await api.get(`/interviews/${await scheduled()}/scorecard?version=one`)).status).toBe(422);
  });
});
