import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import {
  hurry,
  leverHouse,
  person,
  PLAN,
  type LeverHouse,
} from '../../../integrations/ats/publish/support/lever-house.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { candidate, eventsOf } from '../../../support/candidates.js';
import { newHouse, type House } from '../../../support/house.js';
import { eventually, type Answer } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { Engine } from '../support/engine.js';

const KEY = 'engine-key-0123456789abcdef';

let service: TestApp;
let lever: LeverSimulator;
let engine: Engine;
let house: LeverHouse;
beforeAll(async () => {
  service = await sharedApp();
  hurry(service);
  lever = await startLever({ rateFactor: 100 });
  engine = await new Engine().start();
  house = await leverHouse(service, lever);
  const put = await house.api.put('/interview-engine', { base_url: `${engine.url}/`, api_key: KEY });
  if (put.status !== 200) throw new Error(put.text);
});
afterAll(async () => {
  await service.close();
  await lever.close();
  await engine.stop();
});

const schedule = (id: string, more: object = {}): Promise<Answer> =>
  house.api.post(`/candidates/${id}/interviews`, { ...PLAN, ...more });
const shown = async (id: string) => (await house.api.get(`/interviews/${id}`)).body;
const callsOf = (id: string) => engine.requests.filter(({ path, body }) => path.includes(id) || body['id'] === id);
const linksOf = (remoteId: string) => Promise.resolve(lever.linksOf(remoteId));

describe('the engine of a tenant', () => {
  it('gives the meeting link, which the ATS then has', async () => {
    const { id, remoteId, externalId } = await person(service, house);
    const { status, body } = await schedule(id);
    expect([status, body.meeting_source, body.meeting_state, body.meeting_reason]).toEqual([
      201,
      'engine',
      'ready',
      null,
    ]);
    expect(body.meeting_url).toBe(engine.meetings.get(body.id));
    await eventually(
      () => linksOf(remoteId),
      (links) => links.includes(body.meeting_url),
    );
    expect(callsOf(body.id)).toMatchObject([
      {
        method: 'POST',
        path: '/v1/interviews',
        auth: `Bearer ${KEY}`,
        key: expect.stringContaining(body.id),
        body: { id: body.id, candidate: { id, external_id: externalId }, job: null, time_zone: null },
      },
    ]);
  });

  it('is called again after a lost answer, and makes one meeting', async () => {
    const { id } = await person(service, house);
    engine.faults.push({ status: 502, applied: true }, { status: 429 });
    const { body } = await schedule(id);
    const ready = await eventually(
      () => shown(body.id),
      ({ meeting_state }) => meeting_state === 'ready',
    );
    expect(ready.meeting_url).toBe(engine.meetings.get(body.id));
    const calls = callsOf(body.id);
    expect(calls).toHaveLength(3);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
  });

  it('receives a new plan and a cancellation, and the link leaves the ATS', async () => {
    const { id, remoteId } = await person(service, house);
    const { body } = await schedule(id);
    await eventually(
      () => linksOf(remoteId),
      (links) => links.length === 1,
    );
    await house.api.patch(`/interviews/${body.id}`, { ends_at: '2026-03-05T14:30:00.000Z' });
    await eventually(
      () => Promise.resolve(callsOf(body.id)),
      (calls) => calls.length === 2,
    );
    expect(callsOf(body.id)[1]).toMatchObject({ method: 'PATCH', body: { ends_at: '2026-03-05T14:30:00.000Z' } });
    await house.api.patch(`/interviews/${body.id}`, { state: 'cancelled' });
    await eventually(
      () => Promise.resolve(engine.meetings.has(body.id)),
      (has) => !has,
    );
    await eventually(
      () => linksOf(remoteId),
      (links) => links.length === 0,
    );
  });

  it('receives the erasure of a candidate', async () => {
    const { body: made } = await house.api.post('/candidates', candidate());
    const { body } = await schedule(made.id);
    await house.api.delete(`/candidates/${made.id}`);
    await eventually(
      () => Promise.resolve(engine.meetings.has(body.id)),
      (has) => !has,
    );
  });

  it('refuses an interview, which shows the reason; a link of the caller replaces it', async () => {
    const { id, remoteId } = await person(service, house);
    engine.faults.push({ status: 422, body: { detail: 'no such template' } });
    const { status, body } = await schedule(id);
    expect([status, body.meeting_url, body.meeting_state]).toEqual([201, null, 'failed']);
    expect(body.meeting_reason).toContain('no such template');
    const own = 'https://meet.example.com/own';
    const changed = await house.api.patch(`/interviews/${body.id}`, { meeting_url: own });
    expect(changed.body).toMatchObject({ meeting_url: own, meeting_source: 'caller', meeting_state: 'ready' });
    await eventually(
      () => linksOf(remoteId),
      (links) => links.includes(own),
    );
  });

  long('refuses the key: interviews wait with the reason, and are sent with another key', async () => {
    const { id } = await person(service, house);
    engine.faults.push({ status: 401, body: { detail: 'unknown key' } });
    const { body } = await schedule(id);
    expect([body.meeting_url, body.meeting_state]).toEqual([null, 'waiting']);
    expect(body.meeting_reason).toContain('unknown key');
    const { body: state } = await house.api.get('/interview-engine');
    expect(state).toMatchObject({ state: 'paused', reason: 'credential_refused', waiting: 1, key_hint: 'cdef' });
    await house.api.put('/interview-engine', { api_key: 'another-key' });
    await eventually(
      () => shown(body.id),
      ({ meeting_state }) => meeting_state === 'ready',
    );
    const after = await eventually(
      () => house.api.get('/interview-engine'),
      ({ body: engineNow }) => engineNow.waiting === 0,
    );
    expect(after.body).toMatchObject({ state: 'ok', waiting: 0 });
  });

  it('is tested by a call that changes nothing', async () => {
    const { body } = await house.api.post('/interview-engine/test', {});
    expect(body).toMatchObject({ ok: true, status: 404 });
    engine.faults.push({ status: 403 });
    expect((await house.api.post('/interview-engine/test', {})).body).toMatchObject({ ok: false, status: 403 });
  });
});

describe('a plan that the engine does not take', () => {
  const moved = { starts_at: '2030-03-05T15:00:00Z', ends_at: '2030-03-05T15:45:00Z' };
  const plan = { starts_at: '2030-03-05T13:00:00Z', ends_at: '2030-03-05T13:45:00Z' };

  it.each([
    [
      'a new time',
      { status: 409, body: { error: 'room is taken then' } },
      'room is still at the former time. It said: 409 {"error":"room is taken then"}',
    ],
    ['a link that cannot be used', { status: 200, body: { meeting_url: 'javascript:alert(1)' } }, 'cannot be used'],
  ])('is said when the engine answers with %s', async (_, fault, words) => {
    const { id } = await person(service, house);
    const { body } = await schedule(id, plan);
    const before = (await house.api.get('/interview-engine')).body.not_taken as number;
    engine.faults.push(fault);
    await house.api.patch(`/interviews/${body.id}`, moved);
    const kept = await eventually(
      () => shown(body.id),
      ({ meeting_reason }) => meeting_reason !== null,
    );
    expect(kept).toMatchObject({ meeting_state: 'ready', meeting_url: body.meeting_url });
    expect(kept.meeting_reason).toContain(words);
    const events = await eventsOf(service, house.tenantId, body.id);
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({ meeting_reason: kept.meeting_reason });
    expect((await house.api.get('/interview-engine')).body).toMatchObject({ not_taken: before + 1 });
    expect((await house.api.get('/status')).body.interview_engine.message).toMatch(/did not take the plan of/);
    await house.api.patch(`/interviews/${body.id}`, { ends_at: '2030-03-05T16:00:00Z' });
    const taken = await eventually(
      () => Promise.resolve(callsOf(body.id)),
      (calls) => calls.length === 3,
    );
    expect(taken[2]).toMatchObject({ method: 'PATCH', body: { ends_at: '2030-03-05T16:00:00.000Z' } });
    expect(await shown(body.id)).toMatchObject({ meeting_state: 'ready', meeting_reason: null });
  });
});

describe('an engine that is away', () => {
  const away = async () => {
    const other = await newHouse(service);
    const gone = await new Engine().start();
    await other.api.put('/interview-engine', { base_url: gone.url, api_key: KEY });
    await gone.stop();
    const { body: made } = await other.api.post('/candidates', candidate());
    const { body } = await other.api.post(`/candidates/${made.id}/interviews`, PLAN);
    return { other, id: body.id as string, body };
  };

  long('leaves interviews waiting, and its silence is no word of it', async () => {
    const { body } = await away();
    expect(body).toMatchObject({ meeting_state: 'waiting', meeting_url: null });
    expect(body.meeting_reason).toMatch(/It does not answer\.$/);
  });

  long('leaves no interview waiting that is over, or whose engine was removed', async () => {
    const { other, id } = await away();
    await other.api.patch(`/interviews/${id}`, { state: 'cancelled' });
    const { body: cancelled } = await other.api.get(`/interviews/${id}`);
    expect([cancelled.meeting_state, cancelled.meeting_reason]).toEqual(['none', expect.stringMatching(/cancelled/)]);
    const second = await away();
    await second.other.api.put(`/interviews/${second.id}/scorecard`, { overall: 4, recommendation: 'advance' });
    expect((await second.other.api.get(`/interviews/${second.id}`)).body.meeting_state).toBe('none');
    const third = await away();
    await third.other.api.put('/interview-engine', { base_url: null });
    const { body: left } = await third.other.api.get(`/interviews/${third.id}`);
    expect([left.meeting_state, left.meeting_reason]).toEqual(['none', expect.stringMatching(/no interview engine/)]);
  });

  long('gives a link to an interview that has begun', async () => {
    const { other, id } = await away();
    await other.api.patch(`/interviews/${id}`, { state: 'in_progress' });
    await other.api.put('/interview-engine', { base_url: engine.url, api_key: KEY });
    const ready = await eventually(
      () => other.api.get(`/interviews/${id}`),
      ({ body }) => body.meeting_state === 'ready',
    );
    expect(ready.body).toMatchObject({ state: 'in_progress', meeting_url: engine.meetings.get(id) });
  });
});

describe('a link of the caller', () => {
  it('takes the place of the link of the engine, which then forgets the interview', async () => {
    const { id, remoteId } = await person(service, house);
    const { body } = await schedule(id);
    await eventually(
      () => linksOf(remoteId),
      (links) => links.length === 1,
    );
    const own = 'https://meet.example.com/mine';
    await house.api.patch(`/interviews/${body.id}`, { meeting_url: own });
    await eventually(
      () => linksOf(remoteId),
      (links) => links.length === 1 && links[0] === own,
    );
    await eventually(
      () => Promise.resolve(engine.meetings.has(body.id)),
      (has) => !has,
    );
  });

  it('is taken back with null, which asks the engine again', async () => {
    const { id } = await person(service, house);
    const { body } = await schedule(id, { meeting_url: 'https://meet.example.com/mine' });
    expect(body.meeting_source).toBe('caller');
    const { body: asked } = await house.api.patch(`/interviews/${body.id}`, { meeting_url: null });
    expect(asked).toMatchObject({ meeting_source: 'engine', meeting_state: 'ready' });
    expect(asked.meeting_url).toBe(engine.meetings.get(body.id));
  });

  it.each(['javascript:alert(1)', 'https://a:b@meet.example.com', 'meet', 'https://meet.example.com/\u202e', 7])(
    'is refused when it is no plain web address: %j',
    async (meeting_url) => {
      const { body: made } = await house.api.post('/candidates', candidate());
      const { status, body } = await schedule(made.id, { meeting_url });
      expect([status, body.errors?.[0].field]).toEqual([422, 'meeting_url']);
    },
  );
});

describe('settings', () => {
  it.each([
    ['base_url', { base_url: 'https://interviews.example.com' }, 'api_key'],
    ['no address', { api_key: 'k' }, 'base_url'],
    ['this service', () => ({ base_url: service.app.config.baseUrl, api_key: 'k' }), 'base_url'],
    ['no web address', { base_url: 'ftp://x.example', api_key: 'k' }, 'base_url'],
  ] as const)('names the field that is wrong: %s', async (_name, body, field) => {
    const other: House = await newHouse(service);
    const answer = await other.api.put('/interview-engine', typeof body === 'function' ? body() : body);
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, field]);
  });

  it('shows nothing of another tenant, and null removes the engine', async () => {
    const other = await newHouse(service);
    expect((await other.api.get('/interview-engine')).body).toMatchObject({ connected: false, state: 'no_engine' });
    expect((await other.api.post('/interview-engine/test', {})).body.code).toBe('no_interview_engine');
    await other.api.put('/interview-engine', { base_url: engine.url, api_key: KEY });
    expect((await other.api.put('/interview-engine', { base_url: null })).body.connected).toBe(false);
    const { body: made } = await other.api.post('/candidates', candidate());
    expect((await other.api.post(`/candidates/${made.id}/interviews`, PLAN)).body.meeting_source).toBe('sandbox');
  });
});
