import { createHmac } from 'node:crypto';
import { startGreenhouse, type GreenhouseSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { chosenToken, connectGreenhouse, connectLever, type Connected } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';

// What a caller learns and does who has no right token, or a token without a signature.

let greenhouse: GreenhouseSimulator;
let service: TestApp;
beforeAll(async () => {
  greenhouse = await startGreenhouse({ rateFactor: 1_000 });
  service = await startApp({ ATS_SIMULATORS: `greenhouse=${greenhouse.origin}`, TRUST_PROXY: '127.0.0.1,::1' });
});
afterAll(async () => {
  await service.close();
  await greenhouse.close();
});

const UNSIGNED = { signing_secret: undefined };
const statesOf = async (ats: Connected) =>
  (await ats.events()).map(({ state, reason }) => `${String(state)} ${String(reason)}`);

/** What an answer shows of its cause: all but its time, its id and the words of its length. */
async function shown(answer: Response): Promise<unknown> {
  const body = (await answer.json()) as Record<string, unknown>;
  const names = [...answer.headers.keys()].sort();
  return { status: answer.status, names, body: { ...body, instance: null, request_id: null } };
}

long('gives one answer to a missing token, a wrong one, two that differ, and a wrong signature', async () => {
  const ats = await connectLever(service, null, { provider: 'greenhouse' });
  const body = JSON.stringify({ action: 'ping', payload: {} });
  const at = `${service.url}/api/webhooks/greenhouse`;
  const ask = (query: string, headers: Record<string, string> = {}) =>
    fetch(at + query, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  const answers = [
    await ask(''),
    await ask(`?api_token=${chosenToken()}`),
    await ask(`?api_token=${ats.token}`, { 'x-api-token': chosenToken() }),
    await ask(`?api_token=${ats.token}`),
    await ask(`?api_token=${ats.token}`, { signature: `sha256 ${'0'.repeat(64)}` }),
  ];
  const [first, ...others] = await Promise.all(answers.map(shown));
  for (const other of others) expect(other).toEqual(first);
  expect(first).toMatchObject({ status: 401, body: { code: 'token_unknown' } });
});

long('limits refused deliveries of one address, and no accepted ones', async () => {
  const ats = await connectLever(service, null, { provider: 'greenhouse' });
  const from = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' };
  const ask = (token: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/webhooks/greenhouse?api_token=${token}`, {
      method: 'POST',
      body: '{}',
      headers: { ...from, ...headers },
    });
  const codes = new Set<number>();
  for (let i = 0; i < 40 && !codes.has(429); i++) {
    const some = await Promise.all(Array.from({ length: 25 }, () => ask(chosenToken())));
    for (const { status } of some) codes.add(status);
  }
  expect(codes).toEqual(new Set([401, 429]));
  // A wrong signature is a refused try as well: the answer does not show that the token is right.
  expect((await Promise.all(Array.from({ length: 20 }, () => ask(ats.token)))).map(({ status }) => status)).toContain(
    429,
  );
  const signature = `sha256 ${createHmac('sha256', ats.secret).update('{}').digest('hex')}`;
  expect((await ask(ats.token, { signature })).status).toBe(200);
});

long('takes a signed body once with any unsigned headers, so that no old name comes back', async () => {
  const ats = await connectLever(service, null, { provider: 'greenhouse' });
  const named = (first_name: string) =>
    JSON.stringify({
      action: 'update_candidate',
      payload: { candidate: { id: 7, first_name, last_name: 'O', email_addresses: [{ value: 'a@x.example' }] } },
    });
  const send = async (body: string, id: string) => {
    const signature = `sha256 ${createHmac('sha256', ats.secret).update(body).digest('hex')}`;
    expect((await ats.send(body, { signature, 'greenhouse-event-id': id })).status).toBe(200);
    await ats.settled();
  };
  await send(named('Old'), '1');
  await send(named('New'), '2');
  await send(named('Old'), '3');
  expect(await ats.events()).toHaveLength(2);
});

describe('a deletion without a signature', () => {
  it('is not applied when the connection cannot ask the ATS', async () => {
    const ats = await connectLever(service, null, { provider: 'greenhouse', ...UNSIGNED, takes: { postings: 'all' } });
    const candidate = { id: 7, first_name: 'Amara', last_name: 'O', email_addresses: [{ value: 'amara@x.example' }] };
    const now = new Date().toISOString();
    const application = { id: 9, status: 'active', applied_at: now, last_activity_at: now, jobs: [], candidate };
    await ats.send(JSON.stringify({ action: 'new_candidate_application', payload: { application } }));
    await ats.settled();
    expect(await ats.candidates()).toHaveLength(1);
    await ats.send(JSON.stringify({ action: 'delete_candidate', payload: { person: { id: 7 } } }));
    await ats.settled();
    expect(await ats.candidates()).toHaveLength(1);
    expect((await statesOf(ats))[0]).toBe('failed not_signed');
  });

  long('is applied when the ATS has no such candidate, and has no effect when it has', async () => {
    const job = greenhouse.add.job({ silent: true }).id;
    const people = ['kept', 'gone'].map((name) =>
      greenhouse.add.candidate({ emails: [`${name}@x.example`], job, silent: true }),
    );
    const ats = await connectGreenhouse(service, greenhouse, UNSIGNED);
    expect(await ats.candidates()).toHaveLength(2);
    greenhouse.remove(people[1]!.id, { silent: true });
    for (const { id } of people)
      await ats.send(JSON.stringify({ action: 'delete_candidate', payload: { person: { id } } }));
    await ats.settled();
    expect((await ats.candidates()).map(({ email }) => email)).toEqual(['kept@x.example']);
    expect(await statesOf(ats)).toEqual(['applied null', 'no_effect still_there']);
  });
});
