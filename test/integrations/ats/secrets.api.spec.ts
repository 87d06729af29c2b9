import { gzipSync } from 'node:zlib';
import { AtsCredentials } from '../../../src/integrations/ats/connections/ats-credentials.js';
import { AtsConnectionStore } from '../../../src/integrations/ats/connections/ats-connections.store.js';
import { freePort } from '../../../src/base/database/embedded/embedded-postgres.js';
import { Logger } from '../../../src/base/log/logger.js';
import { startLever, type LeverSimulator } from '../../simulators/index.js';
import { startApp, type TestApp } from '../../support/app.js';
import { connectLever, until, type Connected } from '../../support/ats.js';
import { newHouse } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';
import { Tab } from '../../support/sign-in/tab.js';
import { client } from '../../support/http.js';
import { long } from '../../support/rounds.js';

// What no line of the log, no error and no metric may have: every secret of a connection, and its candidates.

const CLIENT = { id: 'lev_client', secret: 'the-secret-of-the-oauth-client' };
const EMAIL = 'ada.lovelace@candidates.example';
const FAMILY = 'Lovelacesson';
const CALLBACK = '/api/integrations/lever/callback';

/** What a logger has inside. */
interface Inside {
  destination: { write(line: string): boolean };
  pino: { level: string };
}

let service: TestApp;
let lever: LeverSimulator;
const lines: string[] = [];
/** Answers that a stranger, a program or a browser got. */
const answers: string[] = [];
const secrets = new Map([
  ['client secret', CLIENT.secret],
  ['e-mail', EMAIL],
  ['name', FAMILY],
]);

beforeAll(async () => {
  const port = await freePort();
  const own = `http://127.0.0.1:${port}`;
  lever = await startLever({ rateFactor: 1_000, client: { ...CLIENT, redirects: [own + CALLBACK] } });
  secrets.set('api key', lever.apiKey);
  service = await startApp({
    PORT: String(port),
    BASE_URL: own,
    LOG_LEVEL: 'info',
    ATS_OAUTH_CLIENTS: `lever:${CLIENT.id}:${CLIENT.secret}`,
    ATS_SIMULATORS: `lever=${lever.origin}`,
  });
  // Everything from now on: with this level from the beginning, the start writes hundreds of lines.
  const found: unknown = service.app.nest.get(Logger);
  const logger = found as Inside;
  logger.destination.write = (line) => lines.push(line) > 0;
  logger.pino.level = 'trace';
});
afterAll(async () => {
  await service.close();
  await lever.close();
});
beforeEach(() => {
  lines.length = 0;
  answers.length = 0;
  lever.faults.clear();
  lever.grants.tokenFault = null;
});

async function seen(answer: Response): Promise<number> {
  answers.push(`${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`);
  return answer.status;
}

/** What of the secrets is to be read in lines, answers and metrics. */
async function leaks(): Promise<string[]> {
  const metrics = await fetch(`${service.url}/metrics`, {
    headers: { authorization: `Bearer ${service.operatorToken}` },
  });
  const places = { log: lines.join(''), answers: answers.join('\n'), metrics: await metrics.text() };
  expect(places.metrics).toContain('bridge_');
  const found: string[] = [];
  for (const [place, text] of Object.entries(places)) {
    for (const [name, secret] of secrets) {
      const spellings = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
      if (spellings.some((one) => text.includes(one))) {
        const at = text.indexOf(secret);
        found.push(`${name} in ${place}: ${text.slice(Math.max(0, at - 200), at + 80)}`);
      }
    }
  }
  return found;
}

/** Lets every statement about a table fail meanwhile: what is asked of it is a 500. */
async function without(table: string, work: () => Promise<void>): Promise<void> {
  await service.db.execute(`alter table ${table} rename to ${table}_away`);
  try {
    await work();
  } finally {
    await service.db.execute(`alter table ${table}_away rename to ${table}`);
  }
}

async function connected(): Promise<Connected> {
  const person = { name: `Ada ${FAMILY}`, emails: [EMAIL], posting: lever.add.posting().id, silent: true };
  lever.add.opportunity(person);
  const ats = await connectLever(service, lever);
  secrets.set(`token ${ats.connectionId}`, ats.token);
  secrets.set(`signing secret ${ats.connectionId}`, ats.secret);
  return ats;
}

long('shows no secret of inbound webhooks, with every answer from 200 to 500', async () => {
  const ats = await connected();
  const wrong = 'wht_a-wrong-token-0123456789';
  secrets.set('wrong token', wrong);
  const person = [...(await ats.candidates())][0]!;
  const remoteId = String(person['external_id']).slice(3);
  const post = async (path: string, body: string | Buffer, headers: Record<string, string> = {}, method = 'POST') =>
    seen(await fetch(service.url + path, { method, headers, ...(method === 'GET' ? {} : { body: body as string }) }));
  const at = (token: string, provider = 'lever') => `/api/webhooks/${provider}?api_token=${token}`;
  const json = { 'content-type': 'application/json' };
  const message = lever.message('candidateStageChange', { opportunityId: remoteId, email: EMAIL, name: FAMILY });
  const { body, headers } = message.build({ id: '', url: '', event: null, secret: ats.secret, headers: {} }, 0);
  expect(await post(at(ats.token), body, headers)).toBe(200);
  expect(await post(at(ats.token), body, headers)).toBe(200);
  expect(await post('/api/webhooks/lever', body, { ...headers, 'x-api-token': ats.token })).toBe(200);
  expect(await post('/api/webhooks/lever', body, { ...json, authorization: `Bearer ${wrong}` })).toBe(401);
  expect(await post(at(wrong), body, headers)).toBe(401);
  expect(await post('/api/webhooks/lever', body, headers)).toBe(401);
  expect(await post(at(ats.token), `{"email":"${EMAIL}"}`, json)).toBe(401);
  expect(await post(at(ats.token), `{"email":"${EMAIL}`, json)).toBe(401);
  expect(await post(at(ats.token, 'unknown'), body, headers)).toBe(404);
  expect(await post(`/api/webhooks?api_token=${ats.token}`, body, headers)).toBeGreaterThanOrEqual(400);
  // A problem repeats the path of its request to the caller (RFC 9457 §3.1.5); the log does not.
  for (const path of [`/api/webhooks/lever/${ats.token}`, `/api/v1/candidates/${EMAIL}?api_token=${ats.token}`]) {
    expect((await fetch(service.url + path, { method: 'POST', body, headers })).status).toBeGreaterThanOrEqual(400);
  }
  expect(await post(at(ats.token), body, headers, 'PUT')).toBeGreaterThanOrEqual(400);
  expect(await post(at(ats.token), '', {}, 'GET')).toBeGreaterThanOrEqual(400);
  expect(await post(at(ats.token), `{"email":"${EMAIL}","x":"${'x'.repeat(1024 * 1024)}"}`, json)).toBe(413);
  expect(await post(at(ats.token), gzipSync(body), { ...headers, 'content-encoding': 'gzip' })).toBe(401);
  await without('ats_events', async () => {
    const other = lever.message('candidateHired', { opportunityId: remoteId, email: EMAIL });
    const built = other.build({ id: '', url: '', event: null, secret: ats.secret, headers: {} }, 0);
    expect(await post(at(ats.token), built.body, built.headers)).toBe(500);
  });
  await without('ats_token_hashes', async () => {
    await service.app.nest.get(AtsConnectionStore).forget(ats.tenantId);
    expect(await post(at(ats.token), body, headers)).toBe(500);
  });
  expect(lines.length).toBeGreaterThan(10);
  expect(await leaks()).toEqual([]);
});

long('shows no secret of an event that cannot be applied, or a record that cannot be stored', async () => {
  const ats = await connected();
  await service.db.execute(`alter table candidates add constraint no_ada check (first_name <> 'Grace') not valid`);
  try {
    const one = lever.add.opportunity({
      name: `Grace ${FAMILY}`,
      emails: [EMAIL],
      posting: lever.add.posting().id,
      silent: true,
    });
    await ats.tell('applicationCreated', { opportunityId: one.id, email: EMAIL });
    await until(async () => (await ats.events('?state=failed')).length === 1);
    await ats.api.post(`/ats-connections/${ats.connectionId}/sync`, { full: true });
    await until(() => Promise.resolve(lines.join('').includes('ats.record_not_stored')));
    answers.push(JSON.stringify(await ats.runs()), JSON.stringify(await ats.events()));
  } finally {
    await service.db.execute(`alter table candidates drop constraint no_ada`);
  }
  expect(lines.join('')).toContain('no_ada');
  expect(await leaks()).toEqual([]);
});

long('shows no secret when an ATS answers with the body of the request', async () => {
  const ats = await connected();
  const path = `/ats-connections/${ats.connectionId}`;
  const echo = JSON.stringify({ error: lever.apiKey, code: EMAIL, message: `${lever.apiKey} ${EMAIL}` });
  for (const kind of [{ kind: 'body', body: echo }, { kind: 'status', status: 500 }, { kind: 'html' }] as const) {
    lever.fault({ ...kind, times: null });
    answers.push((await ats.api.post(`${path}/test`)).text, (await ats.api.get(path)).text);
    await ats.api
      .patch(path, { credential: { kind: 'api_key', key: lever.apiKey } })
      .then((one) => answers.push(one.text));
    lever.faults.clear();
  }
  expect(await leaks()).toEqual([]);
});

long('shows no secret of refused bodies of the API', async () => {
  const ats = await connected();
  const path = `/ats-connections/${ats.connectionId}`;
  const key = 'a-key-that-is-refused-0123';
  secrets.set('refused key', key);
  const bodies = [
    { credential: key },
    { credential: { kind: key, key } },
    { credential: { kind: 'api_key', key: [key] } },
    { credential: { kind: 'client_credentials', client_id: key, client_secret: key } },
    { [key]: true },
  ];
  for (const body of bodies) {
    const [made, changed] = [
      await ats.api.post('/ats-connections', { provider: 'lever', ...body }),
      await ats.api.patch(path, body),
    ];
    expect([made.status, changed.status]).toEqual([422, 422]);
    // The name of a member that is not known is said; its value is not.
    if (!(key in body)) answers.push(made.text, changed.text);
  }
  const tooLong = key.repeat(1_000);
  answers.push((await ats.api.put(`${path}/signing-secret`, { secret: [key] })).text);
  answers.push((await ats.api.post(`${path}/tokens`, { api_token: [key] })).text);
  answers.push((await ats.api.post(`${path}/tokens`, { api_token: tooLong })).text);
  const other = await newHouse(service);
  answers.push((await other.api.post('/ats-connections', { provider: 'lever', api_token: ats.token })).text);
  lines.push(JSON.stringify((await ats.api.get('/audit?limit=100')).body));
  expect(await leaks()).toEqual([]);
});

describe('OAuth shows no secret', () => {
  async function signedIn() {
    const house = await newHouse(service);
    const owner = await madeUser(house.scim, user(`${fresh()}@e.com`));
    await house.api.patch('/tenant', { owner_user_id: owner });
    const operator = client(`${service.url}/api/v1`, service.operatorToken);
    const { body } = await operator.post(`/tenants/${house.tenantId}/owner-sign-in-link`);
    const tab = new Tab(service);
    const secret = new URL(body.url as string).hash.slice(1);
    secrets.set('owner link', secret);
    await tab.post('/api/auth/owner-sign-in', [['code', secret]]);
    for (const [name, value] of tab.jar) secrets.set(`cookie ${name}`, value);
    return { house, tab };
  }

  /** Goes to the ATS, and comes back with a code. */
  async function back(tab: Tab): Promise<string> {
    const sent = await tab.post('/api/integrations/lever/start', [['connection', '']]);
    const state = new URL(sent.location!).searchParams.get('state')!;
    for (const [name, value] of tab.jar) secrets.set(`cookie ${name}`, value);
    secrets.set(`state ${secrets.size}`, state);
    const form = new URLSearchParams(new URL(sent.location!).searchParams);
    form.set('decision', 'approve');
    const approved = await fetch(`${lever.origin}/authorize`, { method: 'POST', body: form, redirect: 'manual' });
    const location = approved.headers.get('location')!;
    secrets.set(`code ${secrets.size}`, new URL(location).searchParams.get('code')!);
    return location;
  }

  const shown = async (tab: Tab, address: string): Promise<number> => {
    const { status, text } = await tab.get(address);
    // The form for the user that writes has the state of its own address; without the cookie it opens nothing.
    answers.push(text.replace(/name="state" value="[^"]*"/, ''));
    return status;
  };

  long('when a connection is made, and when it fails in each way', async () => {
    const { house, tab } = await signedIn();
    const first = await back(tab);
    const code = new URL(first).searchParams.get('code')!;
    // A token host that answers with what it was sent.
    lever.grants.tokenFault = { status: 400, json: { error: code, error_description: `${code} ${CLIENT.secret}` } };
    expect(await shown(tab, first)).toBe(400);
    lever.grants.tokenFault = { status: 500, html: `<p>${CLIENT.secret}</p>` };
    expect(await shown(tab, await back(tab))).toBe(400);
    lever.grants.tokenFault = { status: 200, json: { access_token: 'at\u0000no-token', refresh_token: 7 } };
    expect(await shown(tab, await back(tab))).toBe(400);
    lever.grants.tokenFault = null;
    expect(await shown(new Tab(service), await back(tab))).toBe(400);
    const other = await back(tab);
    expect(await shown(tab, `${other}&state=twice`)).toBeGreaterThanOrEqual(400);
    expect(await shown(tab, other.replace('/lever/', '/unknown/'))).toBe(404);
    await without('ats_authorizations', async () => expect(await shown(tab, other)).toBe(500));
    const [at, rt] = ['lev_at_of_this_grant_0123456789', 'lev_rt_of_this_grant_0123456789'];
    secrets.set('access token', at).set('refresh token', rt);
    lever.grants.tokenFault = { status: 200, json: { access_token: at, refresh_token: rt, expires_in: 3_600 } };
    expect(await shown(tab, other)).toBe(200);
    expect(await shown(tab, other)).toBe(400);
    // The API of the ATS does not know the token, and the renewal is refused with an echo of the refresh token.
    lever.grants.tokenFault = { status: 400, json: { error: rt, error_description: rt } };
    const { id } = (await house.api.get('/ats-connections')).body.data[0] as { id: string };
    answers.push((await house.api.post(`/ats-connections/${id}/test`)).text);
    answers.push((await house.api.get(`/ats-connections/${id}`)).text, (await house.api.get('/tasks')).text);
    const store = service.app.nest.get(AtsConnectionStore);
    const connection = (await store.fresh(house.tenantId, id))!;
    const failure = service.app.nest.get(AtsCredentials).keepAlive(connection);
    await failure.catch((error: unknown) => service.app.nest.get(Logger).error('refused', { error }));
    answers.push((await house.api.post(`/ats-connections/${id}/disconnect`)).text);
    answers.push((await house.api.get('/audit?limit=100')).text, (await house.api.get('/events')).text);
    expect(await leaks()).toEqual([]);
  });

  test('of connect links', async () => {
    const { house } = await signedIn();
    const { body } = await house.api.post('/ats-connect-links', { provider: 'lever' });
    const secret = new URL(body.url as string).hash.slice(1);
    secrets.set('connect link', secret);
    const tab = new Tab(service);
    const connect = '/api/integrations/lever/connect';
    answers.push((await tab.get(`${connect}?code=${secret}`)).text);
    answers.push((await tab.post(connect, [['code', `${secret}x`]])).text);
    answers.push((await tab.post(connect, [['code', secret]], { 'sec-fetch-site': 'cross-site' })).text);
    answers.push((await house.api.get('/ats-connect-links')).text);
    await without('ats_connect_links', async () => {
      const failed = await tab.post(connect, [['code', secret]]);
      expect(failed.status).toBe(500);
      answers.push(failed.text);
    });
    expect(await leaks()).toEqual([]);
  });
});
