import { startApp, type TestApp } from '../../support/app.js';
import { candidate } from '../../support/candidates.js';
import { newHouse } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { receiver, type Receiver } from './support/receiver.js';

let service: TestApp;
let hook: Receiver;
beforeAll(async () => {
  [service, hook] = await Promise.all([startApp({ WEBHOOK_RETRIES: 'none' }), receiver()]);
});
afterAll(async () => {
  await hook.close();
  await service.close();
});

it.each([
  [false, 200],
  [true, 200],
  [false, 500],
])('leaves no data of an erased candidate in answers of receivers (ordered: %s, %s)', async (ordered, status) => {
  // A receiver that shows what it was sent.
  hook.answer((_, res) => void res.writeHead(status).end(hook.received.at(-1)!.body));
  const at = await newHouse(service);
  const { id } = (await at.api.post('/webhooks', { url: hook.url, ordered })).body;
  const attempts = async () => (await at.api.get(`/webhooks/${id}/attempts`)).body.data as { answer: string | null }[];
  const [gone, stays] = await Promise.all(
    ['Ermintrude', 'Florence'].map((first_name) => at.api.post('/candidates', candidate({ first_name }))),
  );
  await eventually(attempts, (all) => all.length === 2);
  await at.api.delete(`/candidates/${gone!.body.id}`);
  const after = await eventually(attempts, (all) => all.length === 3);
  expect(after.filter(({ answer }) => answer?.includes('Ermintrude'))).toEqual([]);
  expect(after.filter(({ answer }) => answer?.includes(stays!.body.id))).toHaveLength(1);
});
