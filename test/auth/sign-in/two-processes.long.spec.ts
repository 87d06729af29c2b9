import { createRemoteJWKSet, jwtVerify } from 'jose';
import { startApp, type TestApp } from '../../support/app.js';
import { startBeside, type Beside } from '../../support/beside.js';
import { send } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, patch, scim, user } from '../../support/scim.js';
import { OidcWay } from '../../support/sign-in/connections.js';
import { pkce } from '../../support/sign-in/pkce.js';
import { Tab } from '../../support/sign-in/tab.js';

// The built service as two processes of the operating system on one database: what one of them does, the other knows.
const APP = 'https://interviews.example.com';
let service: TestApp;
let house: House;
let door: OidcWay;
const processes: Beside[] = [];
const urls: string[] = [];

beforeAll(async () => {
  service = await startApp({ ROLE: 'api' });
  house = await newHouse(service);
  door = await OidcWay.open(service, house, { directory_id: house.directoryId, return_origins: [APP] });
  for (let i = 0; i < 2; i++) processes.push(await startBeside(service));
  urls.push(...processes.map(({ url }) => url));
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await door.op.stop();
  await service.close();
});

const statusAt = async (url: string, tab: Tab): Promise<number> =>
  (await fetch(`${url}/api/auth/session`, { headers: { cookie: tab.cookies() } })).status;

it('finishes a sign-in that another process began, and both know the session', async () => {
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'across' }));
  const tab = new Tab(service);
  const begun = await tab.get(`${urls[0]}/api/auth/login?connection=${door.slug}`);
  const asked = new URL(begun.location!).searchParams;
  door.op.nonce = asked.get('nonce')!;
  door.op.tamper.claims = { sub: 'across' };
  const done = await tab.get(`${urls[1]}/api/auth/callback/${door.slug}?code=x&state=${asked.get('state')}`);
  expect(done.status).toBe(303);
  expect([await statusAt(urls[0]!, tab), await statusAt(urls[1]!, tab)]).toEqual([200, 200]);
});

it('ends a session with the next request when another process deactivates the user', async () => {
  for (let round = 0; round < 10; round++) {
    const sub = fresh('sub');
    const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
    const tab = new Tab(service);
    expect((await door.signIn(tab, { sub })).status).toBe(303);
    const [here, there] = round % 2 ? [urls[0]!, urls[1]!] : [urls[1]!, urls[0]!];
    expect(await statusAt(there, tab)).toBe(200);
    const answer = await scim(here, house.scimToken).patch(
      `/Users/${id}`,
      patch({ op: 'replace', path: 'active', value: false }),
    );
    expect(answer.status).toBe(200);
    expect([await statusAt(there, tab), await statusAt(here, tab)]).toEqual([401, 401]);
  }
});

it('accepts a token of another process, until its code is used again', async () => {
  const keys = await Promise.all(urls.map((url) => send('GET', `${url}/.well-known/jwks.json`, null)));
  expect(keys[0]!.body).toEqual(keys[1]!.body);
  expect(keys[0]!.body.keys).toHaveLength(1);
  for (const [from, to] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const [here, there] = [urls[from]!, urls[to]!];
    const sub = fresh('sub');
    const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
    const tab = new Tab(service);
    const { verifier: code_verifier, query } = pkce();
    const seen = await door.signIn(tab, { sub }, { return_to: `${APP}/`, ...query });
    const code = new URL(seen.location!).searchParams.get('code');
    const issued = await send('POST', `${here}/api/auth/token`, null, { code, code_verifier });
    expect(issued.status).toBe(200);
    const token = issued.body.access_token as string;
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(`${there}/.well-known/jwks.json`)), {
      audience: APP,
    });
    expect(payload.sub).toBe(id);
    const good = async (url: string) =>
      (await send('POST', `${url}/api/auth/introspect`, null, { token })).body.active as boolean;
    expect([await good(there), await good(here)]).toEqual([true, true]);
    expect((await send('POST', `${there}/api/auth/token`, null, { code, code_verifier })).body.code).toBe(
      'invalid_grant',
    );
    expect([await good(there), await good(here)]).toEqual([false, false]);
  }
});
