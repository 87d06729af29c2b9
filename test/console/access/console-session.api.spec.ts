import { Database } from '../../../src/base/database/database.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import {
  ConsoleBrowser,
  consoleByLink,
  consoleBySignIn,
  consoleLink,
  consoleUser,
  secretOf,
  signedIn,
} from '../../support/console.js';
import { newHouse, type House } from '../../support/house.js';
import { client, send } from '../../support/http.js';
import { long } from '../../support/rounds.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  house = await newHouse(service);
});
afterAll(() => service.close());

const operator = () => client(`${service.url}/api/v1`, service.operatorToken);
const audit = async (action: string) => (await house.api.get(`/audit?action=${action}`)).body.data;

describe('a session by a sign-in', () => {
  it('is a credential of an administrator with all scopes, and says so at /me', async () => {
    const id = await consoleUser(house, 'admin');
    const browser = await signedIn(service, house, id);
    const begun = await browser.ask('POST', '/console/session');
    expect([begun.status, begun.headers.getSetCookie()]).toEqual([
      201,
      [expect.stringMatching(/^__Host-console=tbw_\w+; Path=\/; Secure; HttpOnly; SameSite=Strict$/)],
    ]);
    const me = await browser.ask('GET', '/me');
    expect(me.body).toEqual({
      tenant: { id: house.tenantId, name: 'Tenant' },
      session: {
        role: 'admin',
        user: expect.objectContaining({ id }),
        by_link: false,
        scopes: ['admin'],
        signed_in_at: expect.any(String),
        authenticated_at: expect.any(String),
        expires_at: expect.any(String),
        entered_until: null,
      },
    });
    const made = await browser.ask('POST', '/roles', { name: 'By cookie', takes_seat: false });
    expect(made.status).toBe(201);
    expect((await audit('role.created'))[0].actor).toMatchObject({ kind: 'user', id });
    expect((await audit('console_session.created'))[0]).toMatchObject({ target_id: id, after: { role: 'admin' } });
  });

  it('lets an auditor read and refuses each write, naming the scope', async () => {
    const browser = await consoleBySignIn(service, house, await consoleUser(house, 'auditor'));
    expect((await browser.ask('GET', '/audit')).status).toBe(200);
    const refused = await browser.ask('POST', '/roles', { name: 'x', takes_seat: false });
    expect([refused.status, refused.body.code, refused.body.scope]).toEqual([403, 'missing_scope', 'admin']);
    expect((await browser.ask('GET', '/me')).body.session.scopes).toContain('users:read');
  });

  it('is refused for a user without such a role, naming the account and the right', async () => {
    const browser = await signedIn(service, house, await consoleUser(house, 'none'));
    const refused = await browser.ask('POST', '/console/session');
    expect([refused.status, refused.body.code]).toEqual([403, 'not_an_administrator']);
    expect(refused.body.detail).toMatch(/@example.com has the role Console none at Tenant, .* admin or auditor/);
    expect(refused.headers.getSetCookie()).toEqual([]);
  });

  it('ends with the right at once, and the event names the keys that stay valid', async () => {
    const id = await consoleUser(house, 'admin');
    const browser = await consoleBySignIn(service, house, id);
    const key = async (more: object) => {
      const made = await browser.ask('POST', '/api-keys', { name: 'k', scopes: ['users:read'], ...more });
      expect(made.status).toBe(201);
      return made.body as { id: string; owner_kind: string; owner_user_id: string | null };
    };
    const [own, ofService] = [await key({}), await key({ owner_user_id: null })];
    expect([own.owner_kind, own.owner_user_id]).toEqual(['user', id]);
    expect([ofService.owner_kind, ofService.owner_user_id]).toEqual(['service', null]);
    expect((await browser.ask('GET', '/users')).status).toBe(200);
    await house.api.patch(`/users/${id}`, { role: 'User' });
    // What other processes hear too.
    await service.app.nest.get(Database).feed.settled();
    expect((await browser.ask('GET', '/users')).status).toBe(401);
    const line = (await audit('administrator.removed')).find((one: { target_id: string }) => one.target_id === id)!;
    expect(line.before.keys).toEqual([own.id, ofService.id]);
    const { body } = await house.api.get('/events?limit=200');
    const events = body.data as { event: string; data: { user_id: string; keys: string[] } }[];
    const told = events.find(({ event, data }) => event === 'administrator.removed' && data.user_id === id)!;
    expect(told.data.keys).toEqual([own.id, ofService.id]);
  });

  it('is refused without a sign-in, and by a sign-in that is older than ten minutes', async () => {
    expect((await new ConsoleBrowser(service).ask('POST', '/console/session')).body.code).toBe('no_session');
    const browser = await signedIn(service, house, await consoleUser(house, 'admin'));
    await service.db.query(`update sessions set created_at = now() - interval '11 minutes' where tenant_id = $1`, [
      house.tenantId,
    ]);
    expect((await browser.ask('POST', '/console/session')).body.code).toBe('sign_in_again');
  });

  long('ends with its own end, the logout, idle time and eight hours after the sign-in', async () => {
    const id = await consoleUser(house, 'admin');
    const status = async (browser: ConsoleBrowser) => (await browser.ask('GET', '/me')).status;
    const ended = await consoleBySignIn(service, house, id);
    const stolen = ended.tab.cookies();
    expect((await ended.ask('DELETE', '/console/session')).status).toBe(204);
    expect((await ended.ask('GET', '/me')).body.code).toBe('credential_missing');
    expect((await ended.ask('GET', '/me', undefined, { cookie: stolen })).body.code).toBe('credential_invalid');
    expect((await ended.tab.who())?.user.id).toBe(id);

    for (const change of [`last_used_at = now() - interval '31 minutes'`, `expires_at = now()`]) {
      const browser = await consoleBySignIn(service, house, id);
      await service.db.query(`update console_sessions set ${change} where tenant_id = $1`, [house.tenantId]);
      expect([change, await status(browser)]).toEqual([change, 401]);
    }
    const browser = await consoleBySignIn(service, house, id);
    expect(Date.parse((await browser.ask('GET', '/me')).body.session.expires_at) - Date.now()).toBeGreaterThan(
      1_700_000,
    );
    const { rows } = await service.db.query<{ hours: string }>(
      `select extract(epoch from expires_at - signed_in_at) / 3600 as hours from console_sessions where tenant_id = $1`,
      [house.tenantId],
    );
    expect(Math.max(...rows.map(({ hours }) => Number(hours)))).toBe(8);
  });
});

describe('a request with the cookie', () => {
  it('is refused from another site and without Sec-Fetch-Site, on reads too', async () => {
    const browser = await consoleByLink(service, 'admin', house.tenantId);
    for (const site of ['cross-site', 'same-site', 'none', 'SAME-ORIGIN']) {
      const refused = await browser.ask('GET', '/me', undefined, { 'sec-fetch-site': site });
      expect([site, refused.status, refused.body.code]).toEqual([site, 403, 'cross_site_request']);
    }
    const bare = { cookie: browser.tab.cookies() };
    expect((await send('GET', `${service.url}/api/v1/me`, null, undefined, bare)).body.code).toBe('cross_site_request');
    const plain = { ...bare, origin: 'http://bridge.example.com' };
    expect((await send('GET', `${service.url}/api/v1/me`, null, undefined, plain)).body.code).toBe('https_needed');
  });

  it('is 400 with a key or token beside it', async () => {
    const browser = await consoleByLink(service, 'admin', house.tenantId);
    for (const [path, token] of [
      ['/me', house.apiKey],
      ['/tenants', service.operatorToken],
    ] as const) {
      const refused = await browser.ask('GET', path, undefined, { authorization: `Bearer ${token}` });
      expect([path, refused.status, refused.body.code]).toEqual([path, 400, 'several_credentials']);
    }
  });

  it('needs a JSON body for a write', async () => {
    const browser = await consoleByLink(service, 'admin', house.tenantId);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const refused = await browser.ask('POST', '/roles', '{"name":"x","takes_seat":false}', { 'content-type': type });
      expect([type, refused.status]).toEqual([type, 415]);
    }
    const cookie = { cookie: browser.tab.cookies(), 'sec-fetch-site': 'same-origin' };
    expect((await send('POST', `${service.url}/api/v1/platform/pause`, null, undefined, cookie)).status).toBe(415);
  });

  it('needs a sign-in of the last ten minutes for a deletion', async () => {
    const browser = await consoleByLink(service, 'admin', house.tenantId);
    await house.api.post('/roles', { name: 'Short', takes_seat: false });
    await service.db.query(`update console_sessions set authenticated_at = now() - interval '11 minutes' where tenant_id = $1`, [house.tenantId]); // prettier-ignore
    const refused = await browser.ask('DELETE', '/roles/Short');
    expect([refused.status, refused.body.code]).toEqual([401, 'sign_in_again']);
    const plain = { email: 'short@x.example', first_name: 'A', last_name: 'B' };
    expect((await browser.ask('POST', '/users', plain)).status).toBe(201);
    await browser.open(await consoleLink(service, 'admin', house.tenantId));
    expect((await browser.ask('DELETE', '/roles/Short')).status).toBe(204);
  });
});

describe('a link', () => {
  it('opens one tenant with the actor operator, and is in its audit log when made and when used', async () => {
    const url = await consoleLink(service, 'admin', house.tenantId);
    expect(url).toMatch(new RegExp(`^${service.app.config.baseUrl}/console#link=tbe_[0-9a-z]+_[0-9A-Za-z]{49}$`));
    const browser = new ConsoleBrowser(service);
    const opened = await browser.open(url);
    expect([opened.status, opened.body.session]).toEqual([
      201,
      expect.objectContaining({ role: 'admin', user: null, by_link: true }),
    ]);
    await browser.ask('POST', '/roles', { name: 'By link', takes_seat: false });
    expect((await audit('role.created'))[0].actor.kind).toBe('operator');
    const [[made], [used]] = [await audit('console_link.created'), await audit('console_link.used')];
    expect([made.after, made.target_id]).toEqual([expect.objectContaining({ reason: 'a test' }), used.target_id]);
    expect((await browser.ask('GET', '/tenants')).body.code).toBe('operator_only');
  });

  it('opens the installation with the role operator, and no tenant until one is entered', async () => {
    const browser = await consoleByLink(service, 'operator');
    const me = await browser.ask('GET', '/me');
    expect(me.body).toMatchObject({ tenant: null, session: { role: 'operator', scopes: [], entered_until: null } });
    expect((await browser.ask('GET', '/tenants')).status).toBe(200);
    expect((await browser.ask('GET', '/users')).body.code).toBe('no_tenant_entered');
    const path = `/tenants/${house.tenantId}`;
    expect((await browser.ask('POST', `${path}/enter`, {})).body.errors[0].field).toBe('reason');
    const entered = await browser.ask('POST', `${path}/enter`, { reason: 'Ticket 1' });
    expect([entered.status, entered.body.tenant.id]).toEqual([200, house.tenantId]);
    expect((await browser.ask('GET', '/users')).status).toBe(200);
    expect((await browser.ask('GET', '/me')).body).toMatchObject({ tenant: { id: house.tenantId } });
    const refused = await browser.ask('POST', '/roles', { name: 'x', takes_seat: false });
    expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
    expect((await audit('tenant.entered'))[0]).toMatchObject({
      actor: { kind: 'operator' },
      after: { reason: 'Ticket 1' },
    });
    expect((await browser.ask('POST', `${path}/leave`)).status).toBe(204);
    expect((await browser.ask('POST', `${path}/leave`)).status).toBe(404);
    expect((await browser.ask('GET', '/users')).body.code).toBe('no_tenant_entered');
    const lines = (await operator().get('/installation/audit')).body.data;
    expect(lines.map(({ action }: { action: string }) => action).slice(0, 2)).toEqual([
      'console_link.used',
      'console_link.created',
    ]);
    expect(
      (await browser.ask('POST', '/installation/console-links', { role: 'operator', reason: 'x' })).body.code,
    ).toBe('operator_token_needed');
    expect((await operator().post(`${path}/enter`, { reason: 'x' })).body.code).toBe('no_console_session');
  });

  it('of the operator writes nothing while a tenant is entered, by the routes of the operator either', async () => {
    const browser = await consoleByLink(service, 'operator');
    const path = `/tenants/${house.tenantId}`;
    await browser.ask('POST', `${path}/enter`, { reason: 'look' });
    const soon = new Date(Date.now() + 600_000).toISOString();
    const key = { name: 'z', scopes: ['admin'], expires_at: soon, reason: 'x' };
    const other = (await newHouse(service)).tenantId;
    const tries: [string, string, object?][] = [
      ['POST', `${path}/api-keys`, key],
      ['POST', `/tenants/${other}/api-keys`, key],
      ['PUT', `${path}/domains/x.example`, { reason: 'x' }],
      ['DELETE', `${path}/domains/x.example`],
      ['DELETE', `${path}/api-keys/key_x?reason=x`],
      ['PATCH', path, { owner_user_id: null, reason: 'x' }],
      ['POST', `${path}/owner-sign-in-link`, { reason: 'x' }],
      ['POST', '/tenants', { name: 'Another' }],
    ];
    for (const [method, at, body] of tries) {
      const refused = await browser.ask(method, at, body);
      expect([method, at, refused.status, refused.body.code]).toEqual([method, at, 409, 'tenant_entered']);
    }
    expect((await browser.ask('GET', `${path}/api-keys`)).status).toBe(200);
    expect((await browser.ask('POST', `${path}/leave`)).status).toBe(204);
    const made = await browser.ask('POST', `${path}/api-keys`, key);
    expect(made.status).toBe(201);
    expect((await audit('api_key.created'))[0]).toMatchObject({ target_id: made.body.id, after: { reason: 'x' } });
    const at = `${path}/api-keys/${made.body.id}`;
    for (const query of ['', '?reason=', `?reason=${'x'.repeat(501)}`]) {
      const refused = await browser.ask('DELETE', `${at}${query}`);
      expect([query.length, refused.status, refused.body.errors?.[0].field]).toEqual([query.length, 422, 'reason']);
    }
    expect((await browser.ask('DELETE', `${at}?reason=Ticket+5`)).status).toBe(204);
    expect((await audit('api_key.revoked'))[0]).toMatchObject({
      target_id: made.body.id,
      after: { reason: 'Ticket 5' },
    });
  });

  it('of the operator makes in a tenant what ends within an hour, with a reason, and nothing else', async () => {
    const browser = await consoleByLink(service, 'operator');
    const path = `/tenants/${house.tenantId}`;
    const key = { name: 'z', scopes: ['admin'] };
    const fields = ({ body }: { body: { errors: { field: string }[] } }) => body.errors.map(({ field }) => field);
    expect(fields(await browser.ask('POST', `${path}/api-keys`, key))).toEqual(['reason', 'expires_at']);
    const late = new Date(Date.now() + 3_700_000).toISOString();
    const lasting = { ...key, reason: 'x', expires_at: late };
    expect(fields(await browser.ask('POST', `${path}/api-keys`, lasting))).toEqual(['expires_at']);
    expect(fields(await browser.ask('POST', `${path}/owner-sign-in-link`))).toEqual(['reason']);
    for (const [method, at, body] of [
      ['PUT', `${path}/domains/x.example`, { reason: 'x' }],
      ['PATCH', path, { owner_user_id: null, reason: 'x' }],
      ['PATCH', path, { break_glass: [], reason: 'x' }],
    ] as const) {
      expect((await browser.ask(method, at, body)).body.code).toBe('operator_token_needed');
    }
    const id = await consoleUser(house, 'admin');
    await operator().patch(path, { owner_user_id: id, reason: 'Ticket 2' });
    expect((await audit('tenant.changed'))[0].after).toMatchObject({ owner_user_id: id, reason: 'Ticket 2' });
    const linked = await browser.ask('POST', `${path}/owner-sign-in-link`, { reason: 'Ticket 3' });
    expect(linked.status).toBe(201);
    expect((await audit('owner_sign_in_link.created'))[0].after).toMatchObject({ reason: 'Ticket 3' });
    const domain = `${house.tenantId.slice(-8)}.example`;
    expect((await operator().put(`${path}/domains/${domain}`, { reason: 'Ticket 4' })).status).toBe(200);
    expect((await audit('domain.verified'))[0].after).toMatchObject({ reason: 'Ticket 4' });
    expect((await house.api.post('/audit/verify', {})).body).toMatchObject({ ok: true });
  });

  it('names the person who has made it, when it is made and when it is used', async () => {
    const body = { role: 'auditor', reason: 'x', made_by: 'ann.lee', tenant_id: house.tenantId };
    const made = await operator().post('/installation/console-links', body);
    await new ConsoleBrowser(service).open(made.body.url as string);
    for (const action of ['console_link.created', 'console_link.used']) {
      expect((await audit(action))[0].after).toMatchObject({ made_by: 'ann.lee' });
    }
  });

  it('names each wrong field', async () => {
    const ask = async (body: object) => (await operator().post('/installation/console-links', body)).body;
    expect((await ask({})).errors.map(({ field }: { field: string }) => field).sort()).toEqual(['reason', 'role']);
    expect((await ask({ role: 'admin', reason: 'x' })).errors[0].field).toBe('tenant_id');
    expect((await ask({ role: 'operator', reason: 'x', tenant_id: house.tenantId })).errors[0].field).toBe('tenant_id');
    expect((await ask({ role: 'admin', reason: 'x', tenant_id: 'ten_unknown' })).code).toBe('not_found');
  });

  it('is not used up over plain http from another machine, and the answer says what is needed', async () => {
    const url = await consoleLink(service, 'admin', house.tenantId);
    const plain = { origin: 'http://bridge.example.com' };
    const refused = await send('POST', `${service.url}/api/v1/console/session`, null, { link: secretOf(url) }, plain);
    expect([refused.status, refused.body.code]).toEqual([403, 'https_needed']);
    expect((await new ConsoleBrowser(service).open(url)).status).toBe(201);
  });
});

it('lists who administers, and where the role comes from', async () => {
  const [admin, auditor, none] = [
    await consoleUser(house, 'admin'),
    await consoleUser(house, 'auditor'),
    await consoleUser(house, 'none'),
  ];
  await house.api.patch('/tenant', { owner_user_id: none });
  const first = (await house.api.get('/members?limit=2')).body;
  const rest = (await house.api.get(`/members?limit=2&cursor=${first.next_cursor}`)).body;
  const shown = [...first.data, ...rest.data].map(({ user_id, console, owner, role_from }) => [
    user_id,
    console,
    owner,
    role_from,
  ]);
  expect(shown).toEqual([
    [none, 'admin', true, null],
    [auditor, 'auditor', false, 'api'],
    [admin, 'admin', false, 'api'],
  ]);
  await house.api.patch(`/users/${admin}`, { status: 'inactive' });
  expect((await house.api.get('/members')).body.data).toHaveLength(2);
  const key = await house.api.post('/api-keys', { name: 'k', scopes: ['users:read'] });
  const refused = await client(`${service.url}/api/v1`, key.body.api_key).get('/members');
  expect([refused.status, refused.body.scope]).toEqual([403, 'settings:read']);
});
