import { startApp, type TestApp } from '../../../support/app.js';
import { candidate } from '../../../support/candidates.js';
import { commandLine } from '../../../support/cli.js';
import { newHouse, type House } from '../../../support/house.js';
import { eventually } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { Engine } from '../support/engine.js';

const KEY = 'key-of-the-installation';
const PLAN = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' };

let service: TestApp;
let engine: Engine;
let own: Engine;
let house: House;
beforeAll(async () => {
  [engine, own] = await Promise.all([new Engine().start(), new Engine().start()]);
  service = await startApp({ INTERVIEW_API_BASE_URL: `${engine.url}/`, INTERVIEW_API_KEY: KEY });
});
afterAll(async () => {
  await service.close();
  await Promise.all([engine.stop(), own.stop()]);
});
beforeEach(async () => {
  house = await newHouse(service);
});

async function scheduled() {
  const { body } = await house.api.post('/candidates', candidate());
  return (await house.api.post(`/candidates/${body.id}/interviews`, PLAN)).body;
}

long('gives the link when the tenant has no engine of its own', async () => {
  const made = await scheduled();
  expect(made).toMatchObject({ meeting_source: 'engine', meeting_state: 'ready' });
  expect(made.meeting_url).toBe(engine.meetings.get(made.id));
  expect(engine.requests.at(-1)).toMatchObject({ auth: `Bearer ${KEY}` });
  const { body } = await house.api.get('/interview-engine');
  expect(body).toMatchObject({
    connected: true,
    source: 'installation',
    base_url: engine.url,
    key_hint: null,
    state: 'ok',
  });
  expect(JSON.stringify(body)).not.toContain(KEY);
});

long('gives way to the engine of the tenant, and is used again when that is removed', async () => {
  await scheduled();
  const cli = commandLine(service, house.apiKey);
  expect((await cli('interview', 'test')).out).toContain('answered as it should');
  const set = await cli('interview', 'set', '--base-url', own.url, '--api-key', 'key-of-the-tenant', '--json');
  expect(set.json).toMatchObject({ source: 'tenant', base_url: own.url });
  const atOwn = await scheduled();
  expect(atOwn.meeting_url).toBe(own.meetings.get(atOwn.id));
  expect(own.requests.at(-1)!.auth).toBe('Bearer key-of-the-tenant');
  await cli('interview', 'set', '--remove');
  const again = await scheduled();
  expect(again.meeting_url).toBe(engine.meetings.get(again.id));
  expect(engine.requests.at(-1)!.auth).toBe(`Bearer ${KEY}`);
});

it('never gets the key of a tenant, and needs an address with a key of the tenant', async () => {
  await scheduled();
  const refused = await house.api.put('/interview-engine', { api_key: 'key-of-the-tenant' });
  expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'base_url']);
});

long('is asked again when it refuses its key, since no tenant can correct it', async () => {
  engine.faults.push({ status: 401 });
  const made = await scheduled();
  const link = () => house.api.get(`/interviews/${made.id}`);
  await eventually(link, ({ body }) => body.meeting_state === 'ready', 15_000);
});
