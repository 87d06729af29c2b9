import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import {
  hurry,
  leverHouse,
  person,
  PLAN,
  type LeverHouse,
} from '../../../integrations/ats/publish/support/lever-house.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { candidate } from '../../../support/candidates.js';
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
