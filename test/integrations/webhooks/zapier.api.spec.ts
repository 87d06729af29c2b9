import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse } from '../../support/house.js';
import { client, eventually } from '../../support/http.js';
import { fresh } from '../../support/scim.js';
import { receiver, type Receiver } from './support/receiver.js';

// What an automation tool does with REST hooks: connect, sample, subscribe, receive, unsubscribe.
let service: TestApp;
let hook: Receiver;
beforeAll(async () => {
  [service, hook] = await Promise.all([sharedApp(), receiver()]);
});
afterAll(async () => {
  await hook.close();
  await service.close();
});

it('connects, samples, subscribes, receives and unsubscribes', async () => {
  const house = await newHouse(service);
  const key = await house.api.post('/api-keys', { name: 'Zapier', scopes: ['webhooks:manage'] });
  const zap = client(`${service.url}/api/v1`, key.body.api_key as string);
  const newCandidate = () =>
    house.api.post('/candidates', { first_name: 'Zoë', last_name: 'M', email: 'z@x.example', external_id: fresh() });
  await newCandidate();

  const me = await zap.get('/me');
  expect([me.status, me.body.api_key.name]).toEqual([200, 'Zapier']);
  expect((await client(`${service.url}/api/v1`, 'wrong').get('/me')).status).toBe(401);

  const samples = await zap.get('/events?event=candidate.created&limit=3');
  expect(samples.status).toBe(200);
  const [sample] = samples.body.data;
  expect(sample).toMatchObject({ event: 'candidate.created', data: { first_name: 'Zoë' } });

  const subscribed = await zap.post('/webhooks', { url: hook.url, events: ['candidate.created'] });
  expect(subscribed.status).toBe(201);
  expect(subscribed.body.id).toMatch(/^whk_/);

  const made = await newCandidate();
  const [got] = await eventually(() => Promise.resolve(hook.received), ({ length }) => length > 0); // prettier-ignore
  const body = JSON.parse(got!.body) as { event: string; timestamp: string; data: object };
  expect(Object.keys(body)).toEqual(['event', 'timestamp', 'data']);
  expect(body.data).toMatchObject({ id: made.body.id, first_name: 'Zoë' });
  expect(Object.keys(body.data)).toEqual(Object.keys(sample.data as object));
  const listed = (await zap.get('/events?event=candidate.created&limit=1')).body.data[0];
  expect({ event: listed.event, timestamp: listed.timestamp, data: listed.data }).toEqual(body);
  expect(listed.id).toBe(got!.headers['webhook-id']);

  // The Zap is turned off: first its address says so, then it unsubscribes.
  hook.answer((_, res) => void res.writeHead(410).end());
  await newCandidate();
  await eventually(() => zap.get(`/webhooks/${subscribed.body.id}`), (answer) => answer.body.state === 'disabled'); // prettier-ignore
  expect((await zap.get(`/webhooks/${subscribed.body.id}`)).body).toMatchObject({ state_reason: 'gone', waiting: 1 });
  expect((await zap.delete(`/webhooks/${subscribed.body.id}`)).status).toBe(204);
  expect((await zap.get('/webhooks')).body.data).toEqual([]);
});
