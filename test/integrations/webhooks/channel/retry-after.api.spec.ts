import { startApp, type TestApp } from '../../../support/app.js';
import { candidate } from '../../../support/candidates.js';
import { newHouse } from '../../../support/house.js';
import { eventually } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { endpointAt, Receiver } from './receiver.js';

const HELD_MS = 4_000;

let service: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  service = await startApp({ WEBHOOK_RETRIES: '1s,1s,1s' });
  receiver = await new Receiver().start();
});
afterAll(async () => {
  await service.close();
  await receiver.stop();
});

long('sends nothing to an endpoint until its Retry-After is over, and gives up none of the messages', async () => {
  const house = await newHouse(service);
  const { id } = await endpointAt(service, house.tenantId, { url: receiver.url, events: ['candidate.created'] });
  let until = 0;
  receiver.reply = () => {
    if (until === 0) until = Date.now() + HELD_MS;
    return Date.now() < until
      ? (res) => void res.writeHead(429, { 'retry-after': String(HELD_MS / 1_000) }).end()
      : 204;
  };
  await house.api.post('/candidates', candidate());
  await eventually(
    () => Promise.resolve(receiver.arrived.length),
    (count) => count === 1,
  );
  for (let n = 0; n < 12; n++) await house.api.post('/candidates', candidate());
  const records = () => new Set(receiver.arrived.slice(1).map(({ data }) => data.id));
  await eventually(
    () => Promise.resolve(records().size),
    (count) => count === 13,
    30_000,
  );
  expect(receiver.arrived.filter(({ at }) => at < until)).toHaveLength(1);
  const { body } = await house.api.get(`/webhooks/${id}/messages?state=given_up`);
  expect(body.data).toEqual([]);
});
