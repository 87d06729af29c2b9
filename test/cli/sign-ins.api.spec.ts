import { sharedApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { fresh, madeUser, user } from '../support/scim.js';
import { OidcWay } from '../support/sign-in/connections.js';
import { runCli } from '../../src/cli/program.js';
import { long } from '../support/rounds.js';

let service: TestApp;
let house: House;
let door: OidcWay;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  door = await OidcWay.open(service, house, { directory_id: house.directoryId });
});
afterAll(async () => {
  await door.op.stop();
  await service.close();
});

const cli = (...args: string[]) => cliRaw(...args, '--json');

async function cliRaw(...args: string[]) {
  let out = '';
  let err = '';
  const env = {
    DATA_DIR: service.dataDir,
    TALENT_BRIDGE_URL: service.url,
    TALENT_BRIDGE_API_KEY: house.apiKey,
    OPERATOR_TOKEN: service.operatorToken,
  };
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const code = await runCli(args, env, terminal);
  return { code, err, out, json: /^[[{]/.test(out) ? JSON.parse(out) : undefined };
}

long('checks and tests a connection, and lists its sign-ins', async () => {
  expect((await cli('connection', 'check')).json).toMatchObject({ ok: true });
  expect((await cli('connection', 'check', door.slug)).json).toMatchObject({ ok: true });
  expect((await cli('connection', 'test', door.slug)).json.url).toContain(`/api/auth/test/${door.slug}/`);
  const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'cli' }));
  const tab = door.tab();
  await door.signIn(tab, { sub: 'cli' });
  await door.signIn(door.tab(), { sub: 'unknown' });
  expect((await cli('sign-in', 'list', '--outcome', 'refused')).json).toEqual([
    expect.objectContaining({ reason: 'email_outside_domains' }),
  ]);
  expect((await cli('session', 'list', id)).json).toHaveLength(1);
  expect((await cli('session', 'end', id)).code).toBe(0);
  expect(await tab.who()).toBeNull();
  expect((await cli('session', 'end', 'usr_unknown')).code).toBe(1);
  const release = (connection: string) => cli('identity', 'release', id, '--connection-id', connection);
  expect((await release('unknown')).err).toContain(`No connection is called unknown; there are: ${door.slug}`);
  expect((await release(door.slug)).json).toEqual({ user_id: id, connection_id: door.id, released: true });
  expect((await release(door.slug)).err).toContain('No such identity');
});

long('accepts an e-mail of a single user, and ends one session alone', async () => {
  const email = `${fresh('mail')}@e.com`;
  const [key, other] = [fresh('key'), fresh('key')];
  const id = await madeUser(house.scim, user(email, { externalId: key, emails: [{ value: email, primary: true }] }));
  const [here, there] = [door.tab(), door.tab()];
  for (const tab of [here, there]) expect((await door.signIn(tab, { sub: key })).status).toBe(303);
  const sessions = (await cli('session', 'list', email.toUpperCase())).json as { id: string; created_at: string }[];
  expect(sessions).toHaveLength(2);
  expect((await cli('session', 'end', email, '--session-id', sessions[0]!.id)).json.sessions).toBe(sessions[0]!.id);
  expect([await here.who(), await there.who()].filter((one) => one === null)).toHaveLength(1);
  expect((await cli('session', 'end', email)).json).toMatchObject({ user_id: id, sessions: 'all' });
  expect([await here.who(), await there.who()]).toEqual([null, null]);
  expect((await cli('identity', 'list', email)).json[0]).toMatchObject({ subject: key });
  expect((await cli('sign-in', 'list', '--user-id', email)).json).toHaveLength(2);
  expect((await cli('history', 'show', email)).json.length).toBeGreaterThan(2);
  expect((await cli('leavers', 'list', '--user-id', email)).json).toEqual([]);
  expect((await cli('session', 'list', 'unknown@e.com')).err).toContain('No user has unknown@e.com as id, e-mail');
  const twin = await madeUser(
    house.scim,
    user(fresh(), { externalId: other, active: false, emails: [{ value: email }] }),
  );
  const several = await cli('session', 'list', email);
  expect([several.code, several.err]).toEqual([2, expect.stringContaining(`${twin} (inactive)`)]);
});

long('lists sign-ins over several pages, in a span, and as a file', async () => {
  const { rows } = await service.db.query<{ at: Date }>(
    `insert into sign_ins (tenant_id, id, kind, connection_id, outcome, reason, request_id)
     select $1, 'sin_' || lpad(n::text, 26, '0'), 'sign-in', $2, 'refused', 'unknown_account', 'req' from generate_series(1, 250) n
     returning at`,
    [house.tenantId, door.id],
  );
  const list = (...args: string[]) => cli('sign-in', 'list', '--reason', 'unknown_account', ...args);
  expect((await list()).json).toHaveLength(200);
  const all = (await list('--limit', '1000')).json as { id: string }[];
  expect(new Set(all.map(({ id }) => id)).size).toBe(250);
  expect((await list('--limit', '3', '--connection-id', door.slug)).json).toHaveLength(3);
  expect((await list('--until', rows[0]!.at.toISOString().slice(0, 10))).json).toEqual([]);
  expect((await list('--since', '2020-01-01', '--limit', '1000')).json).toHaveLength(250);
  expect(
    (await cliRaw('sign-in', 'list', '--reason', 'unknown_account', '--format', 'csv')).out.trim().split('\r\n'),
  ).toHaveLength(251);
  expect(await cliRaw('sign-in', 'list', '--format', 'xml')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Allowed choices are csv, ndjson'),
  });
  expect(await list('--limit', 'all')).toMatchObject({ code: 2, err: expect.stringContaining('whole number') });
  expect((await list('--kind', 'test')).json).toEqual([]);
  expect(await list('--kind', 'login')).toMatchObject({ code: 1, err: expect.stringContaining('kind must be one of') });
  expect(await cli('sign-in', 'list', '--reason', 'because')).toMatchObject({
    code: 1,
    err: expect.stringContaining('reason must be one of'),
  });
  expect(await list('--since', 'yesterday')).toMatchObject({ code: 1, err: expect.stringContaining('since must be') });
});

long('rotates signing keys', async () => {
  const { json } = await cli('keys', 'rotate-signing', '--purpose', 'jwt');
  expect(json.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['jwt', 'jwt']);
  expect((await cli('keys', 'rotate-signing', '--purpose', 'other')).err).toContain('purpose');
});

it('makes a sign-in link for the owner, or for a break-glass account, as the operator', async () => {
  const [owner, glass] = [await madeUser(house.scim, user(fresh())), await madeUser(house.scim, user(fresh()))];
  const link = (...more: string[]) => cli('owner', 'sign-in-link', '--tenant', house.tenantId, ...more);
  const without = await link();
  expect([without.code, without.err]).toEqual([1, expect.stringContaining('no owner')]);
  await house.api.patch('/tenant', { owner_user_id: owner, break_glass: [glass] });
  const made = await link();
  expect(made.json).toEqual({ url: expect.any(String), user_id: owner, expires_at: expect.any(String) });
  const tab = door.tab();
  expect((await tab.post('/api/auth/owner-sign-in', [['code', new URL(made.json.url).hash.slice(1)]])).status).toBe(
    303,
  );
  expect((await tab.who())!.user.id).toBe(owner);
  expect((await link('--user-id', glass)).json.user_id).toBe(glass);
  expect((await cli('owner', 'sign-in-link')).json.user_id).toBe(owner);
});
