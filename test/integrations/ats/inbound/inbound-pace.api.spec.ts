import { startApp, type TestApp } from '../../../support/app.js';
import { newHouse } from '../../../support/house.js';
import { long } from '../../../support/rounds.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ RATE_LIMIT: '1000' });
});
afterAll(() => service.close());

long('slows a tenant down when its connections together store too many bytes, and no other tenant', async () => {
  const [one, other] = [await newHouse(service), await newHouse(service)];
  const connect = async (house: typeof one, marker: string) => {
    const made = await house.api.post('/ats-connections', { provider: 'greenhouse', name: marker, marker });
    expect(made.status).toBe(201);
    return made.body.api_token as string;
  };
  const tokens = [await connect(one, 'st1_'), await connect(one, 'st2_')];
  const padding = 'x'.repeat(900 * 1024);
  const send = (token: string, id: number) =>
    fetch(`${service.url}/api/webhooks/greenhouse?api_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'update_candidate', payload: { candidate: { id, padding } } }),
    });
  const statuses: number[] = [];
  for (let id = 1; id <= 90 && !statuses.includes(429); id++) {
    const answer = await send(tokens[id % 2]!, id);
    statuses.push(answer.status);
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // 16 MiB are one burst.
  expect(statuses.indexOf(429)).toBeGreaterThan(15);
  expect((await send(await connect(other, 'ot1_'), 1)).status).toBe(200);
});
