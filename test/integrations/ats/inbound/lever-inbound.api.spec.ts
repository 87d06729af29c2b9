import { sharedApp, type TestApp } from '../../../support/app.js';
import { connectLever, until, type Connected } from '../../../support/ats.js';
import { eventsOf } from '../../../support/candidates.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { long } from '../../../support/rounds.js';

let service: TestApp;
let lever: LeverSimulator;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  lever = await startLever({ rateFactor: 100 });
});
afterEach(() => lever.close());
afterAll(() => service.close());

const stateOf = async (ats: Connected) =>
  (await ats.events()).map(({ state, reason }) => `${String(state)} ${String(reason)}`);

long('reads a candidate with its opening, and records one event for repeated deliveries', async () => {
  const ats = await connectLever(service, lever);
  const posting = lever.add.posting({ text: 'Backend Engineer' });
  const person = lever.add.opportunity({ name: 'Ana de la Cruz', posting: posting.id });
  const given = { token: 'a'.repeat(48), triggeredAt: Date.now() };
  const told = () => ats.tell('applicationCreated', { opportunityId: person.id }, given);
  const answers = await Promise.all(Array.from({ length: 5 }, told));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await ats.settled();
  const [candidate] = await ats.candidates();
  expect(candidate).toMatchObject({
    external_id: `lv_${person.id}`,
    first_name: 'Ana',
    last_name: 'de la Cruz',
    job_title: 'Backend Engineer',
    metadata: { ats: 'lever', job_opening_id: `lv_${posting.id}`, original_job_id: posting.id },
  });
  expect(await stateOf(ats)).toEqual(['applied null']);
  const events = await eventsOf(service, ats.tenantId, String(candidate!['id']));
  expect(events.map(({ event }) => event)).toEqual(['candidate.created']);
});

long('ends with the state of the ATS in each order of the events', async () => {
  const ats = await connectLever(service, lever);
  const posting = lever.add.posting();
  const person = lever.add.opportunity({ posting: posting.id });
  const created = lever.message('applicationCreated', { opportunityId: person.id });
  const moved = lever.message('candidateStageChange', { opportunityId: person.id });
  lever.change(person.id, { stage: 'offer' });
  const target = { id: '', url: '', event: null, secret: ats.secret, headers: {} };
  for (const message of [moved, created, moved, created]) await ats.send(message.build(target, 0).body);
  await ats.settled();
  expect((await ats.candidates())[0]).toMatchObject({ metadata: { ats_stage: 'Offer' } });
  lever.remove(person.id);
  await ats.tell('candidateDeleted', { opportunityId: person.id });
  await ats.settled();
  expect(await ats.candidates()).toEqual([]);
  await ats.tell('candidateStageChange', { opportunityId: person.id });
  await ats.settled();
  expect(await ats.candidates()).toEqual([]);
  const { rows } = await service.db.query<{ n: number }>(
    `select count(*)::int as n from ats_events where tenant_id = $1 and remote_id = $2 and body is not null`,
    [ats.tenantId, person.id],
  );
  expect(rows[0]!.n).toBe(0);
});

long('waits while the ATS is away, and loses nothing', async () => {
  const ats = await connectLever(service, lever);
  const posting = lever.add.posting();
  const people = [1, 2, 3].map((n) => lever.add.opportunity({ posting: posting.id, emails: [`p${n}@x.example`] }));
  lever.fault({ kind: 'status', status: 503, times: 2 });
  for (const { id } of people) expect((await ats.tell('applicationCreated', { opportunityId: id })).status).toBe(200);
  await ats.settled();
  expect(await ats.candidates()).toHaveLength(3);
});

long('refuses in the order: provider, token, signature, size; no answer names the token', async () => {
  const ats = await connectLever(service, lever);
  const at = (path: string, body: string, headers = {}) =>
    fetch(`${service.url}/api/webhooks/${path}`, { method: 'POST', body, headers });
  const answers = [
    await at(`nothing?api_token=${ats.token}`, '{}'),
    await at('lever', '{}'),
    await at(`lever?api_token=${'x'.repeat(20)}`, 'a'.repeat(2 * 1024 * 1024)),
    await at(`lever?api_token=${ats.token}&api_token=${ats.token}`, '{}'),
    await at(`lever?api_token=${ats.token}`, '{"event":"candidateHired","data":{}}'),
    await at(`lever?api_token=${ats.token}`, 'a'.repeat(2 * 1024 * 1024)),
  ];
  const told = await Promise.all(
    answers.map(async (answer) => [answer.status, (await answer.json()) as { code: string }] as const),
  );
  expect(told.map(([status, { code }]) => [status, code])).toEqual([
    [404, 'not_found'],
    [401, 'token_unknown'],
    [401, 'token_unknown'],
    [401, 'token_unknown'],
    [401, 'token_unknown'],
    [413, 'body_too_large'],
  ]);
  expect(JSON.stringify(told)).not.toContain(ats.token);
  await until(async () => (await ats.api.get(`/ats-connections/${ats.connectionId}`)).body.state === 'degraded');
});

it('takes the token from headers as well', async () => {
  const ats = await connectLever(service, null, { signing_secret: undefined });
  const body = JSON.stringify({ event: 'candidateHired', data: {}, triggeredAt: 1, token: 'x' });
  const basic = `Basic ${Buffer.from(`any:${ats.token}`).toString('base64')}`;
  const ways: Record<string, string>[] = [
    { 'x-api-token': ats.token },
    { authorization: `Bearer ${ats.token}` },
    { authorization: basic },
  ];
  for (const headers of ways) {
    const { status } = await fetch(`${service.url}/api/webhooks/lever`, {
      method: 'POST',
      body,
      headers,
    });
    expect(status).toBe(200);
  }
  expect(await stateOf(ats)).toEqual(['no_effect no_data']);
});

it('keeps an event that it does not understand with the reason, until it is dismissed', async () => {
  const ats = await connectLever(service, null, { signing_secret: undefined });
  const bodies = [
    'not json',
    Buffer.from([0xff, 0xfe, 0x00]),
    '{"a":1,"a":2}',
    '[]',
    '',
    '{"event":"unheardOf","data":{"x":1}}',
  ];
  for (const body of bodies) expect((await ats.send(body)).status).toBe(200);
  expect(new Set(await stateOf(ats))).toEqual(new Set(['failed not_understood']));
  expect(await ats.events()).toHaveLength(bodies.length);
  const path = `/ats-connections/${ats.connectionId}/events`;
  const [event] = await ats.events();
  expect((await ats.api.get(`${path}/${String(event!['id'])}`)).body).toMatchObject({
    body: bodies.at(-1),
    detail: expect.any(String),
  });
  expect((await ats.api.post(`${path}/retry`, {})).body).toEqual({ retried: bodies.length });
  await ats.settled();
  const dismissed = await ats.api.post(`${path}/${String(event!['id'])}/dismiss`, { reason: 'A test of ours.' });
  expect([dismissed.status, dismissed.body.state]).toEqual([200, 'dismissed']);
  expect((await ats.api.post(`${path}/${String(event!['id'])}/dismiss`, { reason: 'again' })).status).toBe(409);
});

long('leaves out a person without an e-mail until there is one', async () => {
  const ats = await connectLever(service, lever);
  const posting = lever.add.posting();
  const person = lever.add.opportunity({ posting: posting.id, emails: [], name: 'Cher' });
  await ats.tell('applicationCreated', { opportunityId: person.id });
  await ats.settled();
  expect(await stateOf(ats)).toEqual(['no_effect no_email']);
  lever.change(person.id, { emails: ['cher@example.com'] }, { silent: true });
  await ats.tell('candidateStageChange', { opportunityId: person.id });
  await ats.settled();
  expect((await ats.candidates())[0]).toMatchObject({ email: 'cher@example.com', first_name: 'Cher', last_name: '' });
});

it('shows another tenant no event, and lets it settle none', async () => {
  const ours = await connectLever(service, null, { signing_secret: undefined });
  const theirs = await connectLever(service, null, { signing_secret: undefined });
  await theirs.send('nothing');
  const [event] = await theirs.events();
  const path = `/ats-connections/${theirs.connectionId}`;
  const below = `${path}/events/${String(event!['id'])}`;
  const answers = [
    await ours.api.get(`${path}/runs`),
    await ours.api.get(`${path}/events`),
    await ours.api.get(below),
    await ours.api.post(`${path}/events/retry`, {}),
    await ours.api.post(`${below}/retry`, {}),
    await ours.api.post(`${below}/dismiss`, { reason: 'no' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(await stateOf(theirs)).toEqual(['failed not_understood']);
});
