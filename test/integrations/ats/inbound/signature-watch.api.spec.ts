import { createHmac } from 'node:crypto';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectLever, until, type Connected } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

const PING = JSON.stringify({ action: 'ping', data: {} });
const send = async (ats: Connected, secret: string): Promise<number> => {
  const signature = createHmac('sha256', secret).update(PING).digest('hex');
  return (await ats.send(PING, { 'ashby-signature': `sha256=${signature}` })).status;
};
const stateOf = async (ats: Connected) => (await ats.api.get(`/ats-connections/${ats.connectionId}`)).body.state;

long('shows a problem for a wrong signature until the next right one, however soon', async () => {
  const ats = await connectLever(service, null, { provider: 'ashby' });
  for (let round = 0; round < 3; round++) expect(await send(ats, ats.secret)).toBe(200);
  expect(await send(ats, 'another secret')).toBe(401);
  // At once, while the problem is still being noted.
  expect(await send(ats, ats.secret)).toBe(200);
  await until(async () => (await ats.api.get('/events?event=ats.degraded')).body.data.length === 1, 5_000);
  await until(async () => (await stateOf(ats)) === 'ok', 5_000);
});

long('ends a problem of another process with the next right signature', async () => {
  const second = await startApp({}, service);
  try {
    const ats = await connectLever(service, null, { provider: 'ashby' });
    expect(await send(ats, ats.secret)).toBe(200);
    const signature = createHmac('sha256', 'another secret').update(PING).digest('hex');
    const refused = await fetch(`${second.url}/api/webhooks/ashby?api_token=${ats.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'ashby-signature': `sha256=${signature}` },
      body: PING,
    });
    expect(refused.status).toBe(401);
    await until(async () => (await stateOf(ats)) === 'degraded', 5_000);
    await until(async () => (await send(ats, ats.secret)) === 200 && (await stateOf(ats)) === 'ok', 5_000);
  } finally {
    await second.close();
  }
});

it('a connection whose signatures are not checked any more has no problem with them', async () => {
  const ats = await connectLever(service, null, { provider: 'ashby' });
  expect(await send(ats, 'another secret')).toBe(401);
  await until(async () => (await stateOf(ats)) === 'degraded', 5_000);
  await ats.api.delete(`/ats-connections/${ats.connectionId}/signing-secret`);
  await until(async () => (await stateOf(ats)) === 'ok', 5_000);
});
