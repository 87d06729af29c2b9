import { setTimeout as sleep } from 'node:timers/promises';
import { AtsCallOptions } from '../../../../src/integrations/ats/calls/connection-api.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectLever, until, type Connected } from '../../../support/ats.js';

const PAUSE = 1;
let one: TestApp;
let two: TestApp;
let lever: LeverSimulator;
let calm: LeverSimulator;

beforeAll(async () => {
  lever = await startLever({ rateFactor: 1_000 });
  calm = await startLever({ rateFactor: 1_000 });
  one = await startApp();
  two = await startApp({}, one);
  for (const { nest } of [one.app, two.app]) nest.get(AtsCallOptions, { strict: false }).paceFactor = 1;
});
afterAll(async () => {
  await two.close();
  await one.close();
  await Promise.all([lever.close(), calm.close()]);
});

const path = (ats: Connected): string => `/ats-connections/${ats.connectionId}`;

test('lets all processes wait for a storm of 429, stops no other connection, and completes pass and writes', async () => {
  const posting = lever.add.posting();
  const person = lever.add.opportunity({ posting: posting.id, silent: true });
  const ats = await connectLever(one, lever, { writes: { as_user: lever.add.user().id } });
  const other = await connectLever(one, calm);
  await until(async () => (await ats.api.get(path(ats))).body.webhook.made.length === 5);
  const [candidate] = await ats.candidates();
  lever.fill(300, { posting: posting.id });
  lever.fault({ kind: 'status', status: 429, retryAfter: PAUSE, times: null });
  const before = lever.requests.length;

  await ats.api.post(`${path(ats)}/sync`, { full: true });
  const times = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' };
  const interview = await ats.api.post(`/candidates/${String(candidate!['id'])}/interviews`, times);
  for (const process of [one, two]) {
    const message = lever.message('candidateStageChange', { opportunityId: person.id, of: process.url });
    expect((await ats.deliver(message, process.url)).status).toBe(200);
  }
  await until(async () => (await ats.api.get(path(ats))).body.state === 'degraded');

  // Calls at the same moment can be under way before the first pause is stored; afterwards one opens each next pause.
  const began = performance.now();
  const opened = lever.requests.length;
  await sleep(3 * PAUSE * 1_000);
  const pauses = Math.ceil((performance.now() - began) / (PAUSE * 1_000)) + 1;
  expect(opened - before).toBeLessThanOrEqual(12);
  expect(lever.requests.length - opened).toBeLessThanOrEqual(pauses * 4);

  expect((await other.sync(true))['state']).toBe('done');
  expect((await other.api.post(`${path(other)}/test`)).body).toMatchObject({ ok: true });

  lever.faults.clear();
  await until(async () => {
    const { body } = await ats.api.get(path(ats));
    return body.state === 'ok' && body.waiting.writes === 0 && body.waiting.events === 0;
  }, 120_000);
  const { body: writes } = await ats.api.get(`${path(ats)}/writes`);
  expect(writes.data).toMatchObject([{ interview_id: interview.body.id, state: 'written' }]);
  await until(async () => (await ats.runs()).every(({ state }) => state === 'done'), 120_000);
  expect((await other.api.get(path(other))).body.state).toBe('ok');
});
