import { HeldService } from '../../../../src/directory-sync/users/held/held.service.js';
import { Clock } from '../../../../src/base/clock.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { client, eventually, type Client } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { long } from '../../../support/rounds.js';
import { fresh, madeUser, patch, user } from '../../../support/scim.js';
import { Tab, type Seen } from '../../../support/sign-in/tab.js';

let service: TestApp;
let house: House;
let operator: Client;
let owner: string;
beforeAll(async () => {
  service = await startApp();
  operator = client(`${service.url}/api/v1`, service.operatorToken);
});
beforeEach(async () => {
  house = await newHouse(service);
  owner = await newUser();
  await house.api.patch('/tenant', { owner_user_id: owner });
});
afterAll(() => service.close());

const newUser = (): Promise<string> => madeUser(house.scim, user(`${fresh()}@e.com`));
const ask = (body?: object) => operator.post(`/tenants/${house.tenantId}/owner-sign-in-link`, body);
const made = async (body?: object): Promise<string> => {
  const answer = await ask(body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.url as string;
};
const secretOf = (url: string): string => new URL(url).hash.slice(1);
const at = '/api/auth/owner-sign-in';
const press = (tab: Tab, code: string, headers = {}): Promise<Seen> => tab.post(at, [['code', code]], headers);
const tab = (): Tab => new Tab(service);
const audit = async (action: string) => (await house.api.get(`/audit?action=${action}`)).body.data;

describe('a sign-in link for the owner', () => {
  long('signs the owner in by its button, and is in the audit log when made and when used', async () => {
    const { status, body } = await ask();
    expect([status, body.user_id]).toEqual([201, owner]);
    expect(body.url).toMatch(new RegExp(`^${service.app.config.appUrl}${at}#tbl_[0-9a-z]+_[0-9A-Za-z]{49}$`));
    const minutes = (Date.parse(body.expires_at) - Date.now()) / 60_000;
    expect([minutes > 9, minutes < 10.1]).toEqual([true, true]);
    const browser = tab();
    expect((await press(browser, secretOf(body.url))).status).toBe(303);
    expect((await browser.who())!.user.id).toBe(owner);
    const cookie = { cookie: browser.cookies() };
    const answer = await fetch(`${service.url}/api/auth/session`, { headers: cookie });
    const session = (await answer.json()) as { connection: unknown; session: { id: string } };
    expect(session.connection).toBeNull();
    expect((await house.api.get(`/users/${owner}/sessions`)).body.data).toMatchObject([{ connection_id: null }]);
    const [[created], [used]] = [await audit('owner_sign_in_link.created'), await audit('owner_sign_in_link.used')];
    expect([created.actor.kind, created.target_id]).toEqual(['operator', owner]);
    expect(used).toMatchObject({ actor: { kind: 'user', id: owner }, after: { session_id: session.session.id } });
    expect(JSON.stringify([created, used])).not.toContain(secretOf(body.url));
    expect((await house.api.get(`/sign-ins?user_id=${owner}`)).body.data).toMatchObject([{ connection_id: null }]);
    const issued = await browser.send('POST', '/api/auth/token', undefined, { accept: 'application/json' });
    expect([issued.status, (await browser.post('/api/auth/logout')).status]).toEqual([200, 303]);
    expect(await browser.who()).toBeNull();
  });

  it('is not used up by opening it, and once by its button, however many press at once', async () => {
    const url = await made();
    for (let i = 0; i < 3; i++) {
      const page = await tab().get(at);
      expect([page.status, page.text.includes('<form method="post"')]).toEqual([200, true]);
      expect(page.headers.get('content-security-policy')).toContain(`default-src 'none'`);
    }
    expect((await tab().send('HEAD', at)).status).toBe(405);
    const tabs = Array.from({ length: 8 }, tab);
    const seen = await Promise.all(tabs.map((one) => press(one, secretOf(url))));
    expect(seen.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400, 400, 400, 400]);
    expect((await tab().post(at, [['code', secretOf(url)]], { accept: 'application/json' })).text).toContain(
      'sign_in_link_over',
    );
  });

  it('accepts the whole link in a field, for browsers without scripts', async () => {
    const browser = tab();
    expect((await press(browser, await made())).status).toBe(303);
    expect((await browser.who())!.user.id).toBe(owner);
  });

  it('ends when a newer one is made, and ten minutes later', async () => {
    const first = await made();
    const second = await made();
    expect((await press(tab(), secretOf(first))).status).toBe(400);
    expect((await press(tab(), secretOf(second))).status).toBe(303);
    const third = await made();
    await service.db.execute(
      `update owner_sign_in_links set expires_at = expires_at - interval '10 minutes' where tenant_id = $1`,
      [house.tenantId],
    );
    expect((await press(tab(), secretOf(third))).status).toBe(400);
  });

  it('is stored as a hash alone', async () => {
    const secret = secretOf(await made());
    const { rows } = await service.db.execute<{ row: string }>(
      `select row_to_json(l)::text as row from owner_sign_in_links l where tenant_id = $1`,
      [house.tenantId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.row).not.toContain(secret.slice(-40));
  });

  it('cannot be pressed by another site', async () => {
    const secret = secretOf(await made());
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
      expect((await press(tab(), secret, headers)).status).toBe(403);
    expect((await press(tab(), secret)).status).toBe(303);
  });

  it('is not made without an owner, for an inactive one, for a deleted one, or for an unknown tenant', async () => {
    await house.api.patch(`/users/${owner}`, { status: 'inactive' });
    await directoryLess(owner);
    const inactive = await ask();
    expect([inactive.status, inactive.body.code, inactive.body.id]).toEqual([409, 'owner_inactive', owner]);
    await house.api.patch('/tenant', { owner_user_id: null });
    const without = await ask();
    expect([without.status, without.body.code]).toEqual([409, 'no_owner']);
    expect(without.body.detail).toContain('owner_user_id');
    expect((await operator.post('/tenants/ten_x/owner-sign-in-link')).status).toBe(404);
    const own = await house.api.post(`/tenants/${house.tenantId}/owner-sign-in-link`);
    expect([own.status, own.body.code]).toEqual([403, 'operator_only']);
  });

  it('signs in no user who was deactivated, or is no longer the owner, since it was made', async () => {
    const first = await made();
    await directoryLess(owner);
    expect((await press(tab(), secretOf(first))).status).toBe(400);
    const next = await newUser();
    await house.api.patch('/tenant', { owner_user_id: next });
    const second = await made();
    await house.api.patch('/tenant', { owner_user_id: null });
    expect((await press(tab(), secretOf(second))).status).toBe(400);
    await house.api.patch('/tenant', { owner_user_id: next });
    expect((await press(tab(), secretOf(second))).status).toBe(303);
  });

  it('leads to a session that ends with the user, like every other', async () => {
    const browser = tab();
    await press(browser, secretOf(await made()));
    expect(await browser.who()).not.toBeNull();
    await directoryLess(owner);
    expect(await browser.who()).toBeNull();
  });

  it('refuses an invalid link, and counts it for its address alone', async () => {
    expect(service.app.nest.get(Clock)).toBeDefined();
    for (const code of ['', 'x', `tbl_${'a'.repeat(20)}_${'b'.repeat(49)}`, house.apiKey])
      expect([code, (await press(tab(), code)).status]).toEqual([code, 400]);
  });
});

describe('break-glass accounts', () => {
  long('are named at the tenant, at most five, each an active user, and audited', async () => {
    const ids = [await newUser(), await newUser()];
    const { body } = await house.api.patch('/tenant', { break_glass: ids });
    expect(body.break_glass).toEqual(ids);
    expect((await house.api.get('/tenant')).body.break_glass).toEqual(ids);
    const [line] = await audit('tenant.changed');
    expect([line.before.break_glass, line.after.break_glass]).toEqual([[], ids]);
    const refusals: [unknown, string, RegExp][] = [
      [['usr_unknown'], 'break_glass[0]', /active user/],
      [['a', 'b', 'c', 'd', 'e', 'f'], 'break_glass', /at most 5 users, and names 6/],
      [[ids[0], ids[0]], 'break_glass', /once/],
      ['x', 'break_glass', /list/],
    ];
    for (const [value, field, message] of refusals) {
      const answer = await house.api.patch('/tenant', { break_glass: value });
      expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, field]);
      expect(answer.body.errors[0].message).toMatch(message);
    }
    const other = await newHouse(service);
    const foreign = await madeUser(other.scim, user(`${fresh()}@e.com`));
    expect((await house.api.patch('/tenant', { break_glass: [foreign] })).status).toBe(422);
    // What was read can be sent back, also when one of them has left since.
    await directoryLess(ids[1]!);
    expect((await house.api.patch('/tenant', { break_glass: ids })).status).toBe(200);
  });

  it('can have a sign-in link by name; other users cannot', async () => {
    const [glass, other] = [await newUser(), await newUser()];
    await house.api.patch('/tenant', { break_glass: [glass] });
    const browser = tab();
    await press(browser, secretOf(await made({ user_id: glass })));
    expect((await browser.who())!.user.id).toBe(glass);
    const refused = await ask({ user_id: other });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'user_id']);
  });

  it('are protected from the directory, as the owner is', async () => {
    const [glass, other] = [await newUser(), await newUser()];
    await house.api.patch('/tenant', { break_glass: [glass] });
    for (const id of [glass, other]) {
      await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
    }
    const [kept, gone] = [await house.api.get(`/users/${glass}`), await house.api.get(`/users/${other}`)];
    expect([kept.body.status, kept.body.held, gone.body.status]).toEqual(['active', 'protected', 'inactive']);
    await house.scim.patch(`/Users/${glass}`, patch({ op: 'replace', path: 'active', value: true }));
    await house.scim.delete(`/Users/${glass}`);
    expect((await house.api.get(`/users/${glass}`)).body).toMatchObject({ status: 'active', held: 'protected' });
  });

  long('let a held departure take effect when they are no longer named', async () => {
    const ids = [await newUser(), await newUser(), await newUser(), await newUser()];
    const [left, removed, roleless, stays] = ids as [string, string, string, string];
    await house.api.patch('/tenant', { break_glass: ids });
    const browser = tab();
    await press(browser, secretOf(await made({ user_id: left })));
    const patched = (id: string, value: object) => house.scim.patch(`/Users/${id}`, patch({ op: 'replace', ...value }));
    await patched(left, { path: 'active', value: false });
    await patched(stays, { path: 'active', value: false });
    await house.scim.delete(`/Users/${removed}`);
    await house.api.patch(`/directories/${house.directoryId}`, { default_role: null });
    await patched(roleless, { path: 'name.familyName', value: 'Other' });
    expect((await house.api.get(`/users/${left}`)).body).toMatchObject({ status: 'active', held: 'protected' });
    await house.api.patch('/tenant', { break_glass: [stays] });
    expect((await house.api.get(`/users/${left}`)).body).toMatchObject({ status: 'inactive', held: null });
    expect(await browser.who()).toBeNull();
    expect((await house.api.get(`/users/${removed}`)).status).toBe(404);
    expect((await house.api.get(`/users/${roleless}`)).body).toMatchObject({ status: 'inactive', held: 'no_role' });
    expect((await house.api.get(`/users/${stays}`)).body).toMatchObject({ status: 'active', held: 'protected' });
    const { body } = await house.api.get(`/leavers/${left}`);
    expect(body.data[0]).toMatchObject({
      held_at: expect.any(String) as string,
      released_at: expect.any(String) as string,
    });
  });

  long(
    'let a held departure of a replaced owner take effect, also when the process was stopped in between',
    async () => {
      const [owner, next] = [await newUser(), await newUser()];
      await house.api.patch('/tenant', { owner_user_id: owner });
      await house.scim.patch(`/Users/${owner}`, patch({ op: 'replace', path: 'active', value: false }));
      expect((await house.api.get(`/users/${owner}`)).body.held).toBe('protected');
      await service.db.execute(`update tenants set owner_user_id = '${next}' where id = '${house.tenantId}'`);
      // The change went past the service, so the sweep may know the former owner for a moment.
      const judged = async () => {
        await service.app.nest.get(HeldService, { strict: false }).judgeAll();
        return (await house.api.get(`/users/${owner}`)).body;
      };
      expect(await eventually(judged, ({ held }) => held === null)).toMatchObject({ status: 'inactive', held: null });
      const [again] = [await newUser()];
      await house.scim.patch(`/Users/${next}`, patch({ op: 'replace', path: 'active', value: false }));
      await house.api.patch('/tenant', { owner_user_id: again });
      expect((await house.api.get(`/users/${next}`)).body).toMatchObject({ status: 'inactive', held: null });
    },
  );
});

/** Puts a user out whom a directory manages, as the tenant itself may. */
async function directoryLess(id: string): Promise<void> {
  await house.api.patch('/tenant', { api_may_write_directory_users: true });
  const answer = await house.api.patch(`/users/${id}`, { status: 'inactive' });
  if (answer.status !== 200) throw new Error(answer.text);
}
