import { zohoRecruit } from '../../../../../src/integrations/ats/connectors/zoho-recruit/zoho-recruit.connector.js';
import { freePort } from '../../../../../src/base/database/embedded/embedded-postgres.js';
import { startZohoRecruit, type ZohoRecruitSimulator } from '../../../../simulators/index.js';
import { samplesOf } from '../../../../simulators/core/samples.js';
import { startApp, type TestApp } from '../../../../support/app.js';
import { chosenToken, until } from '../../../../support/ats.js';
import { client, eventually } from '../../../../support/http.js';
import { newHouse, type House } from '../../../../support/house.js';
import { long } from '../../../../support/rounds.js';
import { fresh, madeUser, user } from '../../../../support/scim.js';
import { Tab, type Seen } from '../../../../support/sign-in/tab.js';

const START = '/api/integrations/zoho_recruit/start';
const CLIENT = { id: '1000.CLIENT', secret: 'zoho-client-secret' };

let service: TestApp;
let zoho: ZohoRecruitSimulator;
let house: House;

beforeAll(async () => {
  const port = await freePort();
  const own = `http://127.0.0.1:${port}`;
  const redirects = [`${own}/api/integrations/zoho_recruit/callback`];
  zoho = await startZohoRecruit({ rateFactor: 10_000, client: { ...CLIENT, redirects } });
  service = await startApp({
    PORT: String(port),
    BASE_URL: own,
    ATS_OAUTH_CLIENTS: `zoho_recruit:${CLIENT.id}:${CLIENT.secret}`,
    ATS_SIMULATORS: `zoho_recruit=${zoho.origin}`,
  });
});
const webhooks = zohoRecruit.webhooks as { renewEveryMs: number };
const usual = webhooks.renewEveryMs;
afterEach(() => {
  webhooks.renewEveryMs = usual;
});
afterAll(async () => {
  await service.close();
  await zoho.close();
});
beforeEach(async () => {
  zoho.accountsServer = null;
  zoho.endChannels();
  house = await newHouse(service);
  const owner = await madeUser(house.scim, user(`${fresh()}@e.com`));
  await house.api.patch('/tenant', { owner_user_id: owner });
});

/** Connects the tenant in a browser, as its owner. @returns the page at the end */
async function connected(): Promise<Seen> {
  const operator = client(`${service.url}/api/v1`, service.operatorToken);
  const { body } = await operator.post(`/tenants/${house.tenantId}/owner-sign-in-link`);
  const tab = new Tab(service);
  await tab.post('/api/auth/owner-sign-in', [['code', new URL(body.url as string).hash.slice(1)]]);
  const sent = await tab.post(START, [['connection', '']]);
  const asked = new URL(sent.location!);
  const form = new URLSearchParams({ decision: 'approve' });
  for (const name of ['client_id', 'redirect_uri', 'state', 'scope', 'code_challenge']) {
    form.set(name, asked.searchParams.get(name)!);
  }
  const answer = await fetch(asked.origin + asked.pathname, { method: 'POST', body: form, redirect: 'manual' });
  return tab.get(answer.headers.get('location')!);
}

type Found = Record<string, unknown>;

const data = async (path: string): Promise<Found[]> => (await house.api.get(path)).body.data as Found[];
const candidate = async (id: string): Promise<Found | undefined> => (await data(`/candidates?external_id=zr_${id}`))[0];
const connection = async (): Promise<Found> => (await data('/ats-connections'))[0]!;

/** Resolves when a record has come in, and returns it. */
const came = (id: string): Promise<Found> =>
  eventually(
    () => candidate(id),
    (found) => found !== undefined,
  ) as Promise<Found>;
const setUps = async (): Promise<number> =>
  (await data('/tasks')).filter(({ kind, state }) => kind === 'ats.connect' && state === 'done').length;

/** Asks for a pass, and resolves when it is over. */
async function sync(): Promise<void> {
  const at = `/ats-connections/${String((await connection())['id'])}`;
  const before = (await data(`${at}/runs`))[0]?.['id'];
  await house.api.post(`${at}/sync`, {});
  await until(async () => {
    const [run] = await data(`${at}/runs`);
    return run?.['id'] !== before && run?.['state'] !== 'running';
  });
}

long('connects by OAuth in the data centre of the account, makes its channels, and reads it', async () => {
  const job = zoho.add.job({ Posting_Title: 'Pastry Chef' });
  const person = zoho.add.candidate({ job: job.id, status: 'Interview-Scheduled' });
  const page = await connected();
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('is connected')]);
  expect(await came(person.id)).toMatchObject({
    first_name: 'Zoë',
    last_name: 'Müller',
    job_title: 'Pastry Chef',
    stage: 'Interview-Scheduled',
    metadata: {
      ats: 'zoho_recruit',
      job_opening_id: job.id,
      original_job_id: job.id,
      ats_source: 'Career site',
    },
  });
  await eventually(setUps, (done) => done === 1);
  expect(zoho.webhooks().map(({ event }) => event)).toEqual(['Candidates.all', 'Job_Openings.all']);
  expect(await connection()).toMatchObject({
    provider: 'zoho_recruit',
    marker: 'zr_',
    state: 'ok',
    missing_scopes: [],
  });
});

long('applies each record of a notification that names several, and a deletion', async () => {
  const job = zoho.add.job();
  await connected();
  await eventually(setUps, (done) => done === 1);
  const ids = ['Ana', 'Ben', 'Cem'].map((first) => zoho.add.candidate({ first, job: job.id, silent: true }).id);
  zoho.tell('Candidates', 'insert', ids);
  for (const id of ids) await came(id);
  zoho.change('Candidates', ids[0]!, { First_Name: 'Anna' });
  await eventually(
    () => candidate(ids[0]!),
    (found) => found?.['first_name'] === 'Anna',
  );
  zoho.remove('Candidates', ids[1]!);
  await eventually(
    () => candidate(ids[1]!),
    (found) => found === undefined,
  );
  const events = await data(`/ats-connections/${String((await connection())['id'])}/events`);
  expect(events.every(({ state }) => state === 'applied' || state === 'no_effect')).toBe(true);
});

long('reads changes of applications, and keeps the active one beside one that has ended', async () => {
  const [cook, baker] = ['Cook', 'Baker'].map((Posting_Title) => zoho.add.job({ Posting_Title, silent: true }));
  const person = zoho.add.candidate({ job: cook!.id, silent: true });
  const other = zoho.add.application(person.id, baker!.id, { status: 'Rejected', silent: true });
  await connected();
  expect(await came(person.id)).toMatchObject({ job_title: 'Cook', ats_status: 'active' });
  zoho.change('Applications', other.id, { Application_Status: 'Archived' }, { silent: true });
  await sync();
  expect(await candidate(person.id)).toMatchObject({ job_title: 'Cook', ats_status: 'active', stage: 'Associated' });
});

long('keeps its refresh token, and asks for a new grant when Zoho refuses it with status 200', async () => {
  await connected();
  await eventually(setUps, (done) => done === 1);
  zoho.grants.expireAccess();
  const { refreshes } = zoho.grants;
  await sync();
  zoho.grants.expireAccess();
  await sync();
  expect(zoho.grants.refreshes).toBe(refreshes + 2);
  expect(await connection()).toMatchObject({ state: 'ok' });
  zoho.grants.revokeAll();
  await house.api.post(`/ats-connections/${String((await connection())['id'])}/sync`, {});
  await eventually(connection, ({ state }) => state === 'reconnect_needed');
});

test('does not send the secret of the client to a data centre that is not on the list', async () => {
  zoho.accountsServer = 'https://accounts.zoho.example';
  const before = zoho.grants.exchanges;
  const page = await connected();
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('another ATS')]);
  expect(zoho.grants.exchanges).toBe(before);
  expect(await data('/ats-connections')).toEqual([]);
});

long('renews its channels, and makes them anew when they have ended', async () => {
  webhooks.renewEveryMs = 0;
  await connected();
  await eventually(setUps, (done) => done === 1);
  const former = zoho.webhooks().map(({ id }) => id);
  const ends = zoho.channelEnds();
  await sync();
  expect(zoho.webhooks().map(({ id }) => id)).toEqual(former);
  expect(zoho.writes.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/actions/watch'))).not.toEqual(
    [],
  );
  expect(zoho.channelEnds().every((end, place) => end >= ends[place]!)).toBe(true);
  expect(await setUps()).toBe(1);
  zoho.endChannels();
  await sync();
  await eventually(setUps, (done) => done === 2);
  expect(zoho.webhooks()).toHaveLength(2);
  expect(zoho.webhooks().filter(({ id }) => former.includes(id))).toEqual([]);
});

test('takes the form of a workflow rule without a credential, and the token in it when a secret is set', async () => {
  const sample = samplesOf('zoho_recruit').find(({ name }) => name === 'webhook.workflow-form')!;
  const token = chosenToken();
  const made = await house.api.post('/ats-connections', { provider: 'zoho_recruit', api_token: token });
  expect(made.status).toBe(201);
  const send = (body: string): Promise<Response> =>
    fetch(`${service.url}/api/webhooks/zoho_recruit?api_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': sample.request.headers!['Content-Type']! },
      body,
    });
  const body = sample.request.raw_body!;
  expect((await send(body)).status).toBe(200);
  expect(await came('480912000001234567')).toMatchObject({
    first_name: 'Zoë',
    email: 'zoe.muller@example.com',
    job_title: 'Backend Engineer',
    metadata: { ats: 'zoho_recruit', original_job_id: '480912000000987654', ats_priority: 'high' },
  });
  const secret = { secret: 'a secret of this tenant' };
  expect((await house.api.put(`/ats-connections/${made.body.id}/signing-secret`, secret)).status).toBe(200);
  expect((await send(body)).status).toBe(401);
  expect((await send(`${body}&token=a+secret+of+this+tenant`)).status).toBe(200);
});

long('takes the form of a workflow rule beside channels, by the token of its address', async () => {
  const sample = samplesOf('zoho_recruit').find(({ name }) => name === 'webhook.workflow-form')!;
  const job = zoho.add.job();
  await connected();
  await eventually(setUps, (done) => done === 1);
  const person = zoho.add.candidate({ job: job.id, silent: true });
  const at = `/ats-connections/${String((await connection())['id'])}`;
  const { body: made } = await house.api.post(`${at}/tokens`, {});
  const send = async (body: string, contentType: string): Promise<number> => {
    const address = `${service.url}/api/webhooks/zoho_recruit?api_token=${String(made.api_token)}`;
    return (await fetch(address, { method: 'POST', headers: { 'content-type': contentType }, body })).status;
  };
  const type = sample.request.headers!['Content-Type']!;
  const form = sample.request.raw_body!.replace('480912000001234567', person.id);
  expect(await send(form, type)).toBe(200);
  await came(person.id);
  expect(await connection()).toMatchObject({ state: 'ok' });
  const notification = JSON.stringify({ module: 'Candidates', operation: 'update', ids: [person.id], channel_id: '1' });
  expect(await send(notification, 'application/json')).toBe(401);
  await house.api.put(`${at}/signing-secret`, { secret: 'a secret of this tenant' });
  expect(await send(form, type)).toBe(401);
  expect(await send(`${form}&token=a+secret+of+this+tenant`, type)).toBe(200);
});

long('writes a link into the field and a scorecard as a note', async () => {
  const job = zoho.add.job();
  const person = zoho.add.candidate({ job: job.id });
  await connected();
  const { id } = await came(person.id);
  const at = `/ats-connections/${String((await connection())['id'])}`;
  const writes = { link_target: 'field', link_field: 'AI Interview Link', scorecard_target: 'note' };
  expect((await house.api.patch(at, { writes })).status).toBe(200);
  const times = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' };
  const meeting = { ...times, meeting_url: 'https://meet.example.com/room-7' };
  const { body: interview } = await house.api.post(`/candidates/${String(id)}/interviews`, meeting);
  await until(async () => zoho.rows.Candidates.get(person.id)!['AI_Interview_Link'] === meeting.meeting_url);
  const scorecard = { version: 1, overall: 4, recommendation: 'advance', summary: 'Knows the field.', criteria: [] };
  const put = await house.api.put(`/interviews/${interview.id}/scorecard`, scorecard);
  expect(put.status).toBeLessThan(300);
  await until(async () => zoho.notesOf(person.id).length === 1);
  expect(zoho.notesOf(person.id)[0]!.value).toContain('Knows the field.');
});
