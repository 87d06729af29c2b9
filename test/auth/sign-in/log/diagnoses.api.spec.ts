import { inflateRawSync } from 'node:zlib';
import { startApp, type TestApp } from '../../../support/app.js';
import type { House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import type { HostileOp } from '../../../protocols/oidc/support/op.js';
import { long } from '../../../support/rounds.js';
import { OidcWay, reasonOf, SamlWay } from '../../../support/sign-in/connections.js';
import { signInStage } from '../../../support/sign-in/stage.js';

// What goes wrong in practice has a reason of its own, which leads a reader of the log to the cause.
let service: TestApp;
let house: House;
let domain: string;
let op: HostileOp;
const stage = signInStage((now) => ({ service, house, domain, op } = now));

const { open, own } = stage;
const lines = async (query = ''): Promise<Record<string, string | null>[]> =>
  (await house.api.get(`/sign-ins${query}`)).body.data;

async function outcome(door: OidcWay, claims: Record<string, unknown>): Promise<string> {
  const tab = door.tab();
  const seen = await door.signIn(tab, claims);
  return seen.status === 303 ? (await tab.who())!.user.id : reasonOf(house, seen);
}

describe('a deleted user', () => {
  it('does not match a user of another directory with the same name', async () => {
    const gone = await madeUser(house.scim, user(`${fresh('zed')}@${domain}`, { externalId: 'eve' }));
    await house.scim.delete(`/Users/${gone}`);
    const jit = await open({ jit: true });
    expect(await outcome(jit, { sub: 'eve', email: `eve@${fresh('fresh')}.example.com` })).toMatch(/^usr_/);
    const other = await service.newDirectory(house.tenantId);
    const elsewhere = await open({ directory_id: other.id });
    expect(await outcome(elsewhere, { sub: 'eve', email: undefined })).toBe('unknown_account');
  });

  long('is named in the log, by the subject and by the e-mail', async () => {
    const name = `${fresh('Gone')}@${domain}`;
    const id = await madeUser(house.scim, user(name, { externalId: 'gone', emails: [{ value: name, primary: true }] }));
    await house.scim.delete(`/Users/${id}`);
    const paired = await open({ directory_id: house.directoryId });
    await own();
    const words = [
      [paired, { sub: 'gone', email: undefined }],
      [paired, { sub: 'x', preferred_username: name.toUpperCase(), email: undefined }],
      [await open({ jit: true }), { sub: 'y', email: name.toLowerCase() }],
    ] as const;
    for (const [door, claims] of words) {
      expect(await outcome(door, claims)).toBe('account_deleted');
      expect((await lines('?limit=1'))[0]).toMatchObject({ reason: 'account_deleted', user_id: id });
    }
  });
});

describe('an e-mail', () => {
  it('that was not sent is not called unconfirmed', async () => {
    const door = await open({ jit: true });
    for (const email of [undefined, '', 'no-address', ['a@b.example', 'c@d.example']]) {
      expect([email, await outcome(door, { sub: 'jit', email })]).toEqual([email, 'email_missing']);
    }
    const doubtful = { sub: 'jit', email: `${fresh('j')}@${domain}`, email_verified: false };
    expect(await outcome(door, doubtful)).toBe('email_unverified');
  });

  it('is not trusted while UserInfo, which may call it unverified, cannot be read', async () => {
    await own();
    const email = `${fresh('m')}@${domain}`;
    const id = await madeUser(house.scim, user(fresh('m'), { emails: [{ value: email, primary: true }] }));
    const door = await open({ user_info: 'optional' });
    op.tamper.canned = { '/userinfo': { status: 500 } };
    expect(await outcome(door, { sub: 'm', email })).toBe('email_unverified');
    expect((await lines('?limit=1'))[0]!['detail']).toMatch(/UserInfo.*500/);
    // The e-mail of the ID token is enough, and a known user needs none.
    expect(await outcome(door, { sub: 'm', email, email_verified: true })).toBe(id);
    expect(await outcome(door, { sub: 'm', email })).toBe(id);
    expect((await lines('?limit=1'))[0]).toMatchObject({
      outcome: 'success',
      detail: expect.stringMatching(/UserInfo/),
    });
  });

  it('is trusted when the IdP has no UserInfo', async () => {
    await own();
    const email = `${fresh('n')}@${domain}`;
    const id = await madeUser(house.scim, user(fresh('n'), { emails: [{ value: email, primary: true }] }));
    op.tamper.discovery = { userinfo_endpoint: undefined };
    expect(await outcome(await open({ user_info: 'optional' }), { sub: 'n', email })).toBe(id);
    expect((await lines('?limit=1'))[0]).toMatchObject({ outcome: 'success', detail: null });
  });
});

describe('a landing', () => {
  long('names the missing cookie, and leads to its line in the log', async () => {
    const door = await SamlWay.open(service, house, { directory_id: house.directoryId });
    await madeUser(house.scim, user(fresh(), { externalId: 'lands' }));
    const tab = door.tab();
    const { id, relayState } = await door.begin(tab);
    const form = door.idp.form(door.parts(id, { nameId: 'lands' }));
    form.set('RelayState', relayState);
    const landing = (await door.postOnly(tab, form)).location!;
    const blocked = await door.tab().get(landing);
    expect([blocked.status, await reasonOf(house, blocked)]).toEqual([400, 'landing_lost']);
    expect(blocked.text).toContain('Allow cookies');
    // In the browser that has it the sign-in continues, and Back after that harms no session.
    expect((await tab.get(landing)).status).toBe(303);
    const before = (await lines()).length;
    const back = await tab.get(landing);
    expect((await lines()).length).toBe(before);
    expect([back.status, (await tab.who())?.user.id !== undefined]).toEqual([303, true]);
  });
});

describe('a test sign-in', () => {
  const prepared = async (door: OidcWay): Promise<string> =>
    (await house.api.post(`/connections/${door.id}/test-sign-in`)).body.url as string;

  it('shows the admin that the IdP cannot be reached, and can be tried again', async () => {
    const door = await open();
    const url = await prepared(door);
    op.tamper.canned = { '/.well-known/openid-configuration': { status: 500 } };
    const seen = await door.tab().post(url);
    expect(seen.text).toMatch(/The test sign-in is refused[^]*idp_(unreachable|answer_invalid): [^]*500/);
    expect(seen.text).not.toContain('/api/auth/login');
    expect(seen.text).not.toContain('..');
    expect((await lines('?limit=1'))[0]).toMatchObject({ kind: 'test', outcome: 'refused' });
    op.tamper.canned = {};
    await house.api.patch(`/connections/${door.id}`, { name: 'again' });
    expect((await door.tab().post(url)).status).toBe(303);
  });

  it('names an earlier opening as the cause, also with a session', async () => {
    const door = await open({ directory_id: house.directoryId });
    await madeUser(house.scim, user(fresh(), { externalId: 'admin' }));
    const tab = door.tab();
    await door.signIn(tab, { sub: 'admin' });
    const url = await prepared(door);
    expect((await tab.post(url)).status).toBe(303);
    const again = await tab.get(url);
    expect([again.status, await reasonOf(house, again)]).toEqual([200, 'state_used']);
    expect(again.text).toContain('make a new one');
  });

  it('answers 404 for a made-up handle', async () => {
    const door = await open();
    const url = new URL(await prepared(door));
    const other = await open();
    const handle = url.pathname.split('/').at(-1)!;
    const paths = [`${door.slug}/x`, `${door.slug}/${'0'.repeat(52)}`, `${other.slug}/${handle}`, `none/${handle}`];
    for (const path of paths) {
      expect([path, (await door.tab().get(`/api/auth/test/${path}`)).status]).toEqual([path, 404]);
    }
    expect((await door.tab().post(url.pathname)).status).toBe(303);
  });
});

describe('a sign-out that the IdP asks for', () => {
  long('is reported as a wrong account where it is not accepted, and leads to the page for signing out', async () => {
    const saml = await SamlWay.open(service, house);
    const oidc = await open();
    for (const [path, reason] of [
      [`/api/auth/slo/${saml.slug}?SAMLRequest=x`, 'signature_missing'],
      [`/api/auth/slo/${oidc.slug}?SAMLRequest=x`, 'binding_refused'],
    ] as const) {
      const seen = await saml.tab().get(path);
      expect([path, await reasonOf(house, seen)]).toEqual([path, reason]);
      expect(seen.text).toContain('The sign-out did not succeed');
      expect(seen.text).not.toMatch(/sign you in|Sign in again/);
      expect((await lines('?limit=1'))[0]).toMatchObject({ kind: 'logout', outcome: 'refused' });
    }
  });
});

describe('the figures of sign-ins', () => {
  long('count sign-ins by outcome and reason', async () => {
    const figure = async (labels: string): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 1_100)); // an answer is shared for a second
      const text = await (await fetch(`${service.url}/metrics`)).text();
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`bridge_sign_ins_total{${labels}`))
          ?.split(' ')[1] ?? 0,
      );
    };
    const refused = 'kind="sign-in",outcome="refused",reason="unknown_account"';
    const [before, well] = [await figure(refused), await figure('kind="sign-in",outcome="success"')];
    const door = await open({ directory_id: house.directoryId });
    await madeUser(house.scim, user(fresh(), { externalId: 'counted' }));
    await outcome(door, { sub: 'counted', email: undefined });
    await outcome(door, { sub: 'unknown', email: undefined });
    expect([await figure(refused), await figure('kind="sign-in",outcome="success"')]).toEqual([before + 1, well + 1]);
  });
});

describe('an address', () => {
  long('of IPv4 is written as IPv4, also when it came as IPv6', async () => {
    const behind = await startApp({ TRUST_PROXY: '127.0.0.1' }, service);
    try {
      const door = await OidcWay.open(behind, house, {}, op);
      const headers = { 'x-forwarded-for': '::ffff:192.0.2.77', accept: 'text/html' };
      await fetch(`${behind.url}/api/auth/callback/${door.slug}?state=x&code=y`, { headers });
      expect((await lines('?limit=1'))[0]!['ip']).toBe('192.0.2.77');
    } finally {
      await behind.close();
    }
  });
});

describe('a connection that is deleted', () => {
  it('ends its bindings, with the reason in the log', async () => {
    const door = await open({ directory_id: house.directoryId });
    const id = await madeUser(house.scim, user(fresh(), { externalId: 'bound' }));
    expect(await outcome(door, { sub: 'bound', email: undefined })).toBe(id);
    expect((await house.api.delete(`/connections/${door.id}`)).status).toBe(204);
    const { data } = (await house.api.get(`/users/${id}/identities`)).body;
    expect(data).toMatchObject([{ end_reason: 'connection_deleted', ended_at: expect.any(String) }]);
  });
});

describe('the end of a session', () => {
  it('is shown alike everywhere, and is the time when it ends', async () => {
    const door = await open({ directory_id: house.directoryId });
    await madeUser(house.scim, user(fresh(), { externalId: 'ends' }));
    const tab = door.tab();
    await door.signIn(tab, { sub: 'ends', email: undefined });
    await service.db.execute(`update sessions set seen_at = seen_at - interval '30 seconds'`);
    const at = async (path: string) =>
      JSON.parse((await tab.get(path, { accept: 'application/json' })).text) as Record<string, unknown>;
    const { expires_at: own } = await at('/api/auth/session');
    const { data } = (await at('/api/auth/sessions')) as { data: { expires_at: string; seen_at: string }[] };
    expect(data[0]!.expires_at).toBe(own);
    const { idleSeconds } = service.app.config.session;
    expect(Date.parse(String(own))).toBe(Date.parse(data[0]!.seen_at) + idleSeconds * 1000);
  });
});

long('reports a refusal by the IdP as one, and not as a wrong answer', async () => {
  const door = await SamlWay.open(service, house);
  for (const status of ['Requester', 'Responder']) {
    const seen = await door.signIn(door.tab(), { status: `urn:oasis:names:tc:SAML:2.0:status:${status}` });
    expect([seen.status, await reasonOf(house, seen)]).toEqual([401, 'status_not_success']);
    expect(seen.text).toContain('did not let you through');
  }
  const statusMessage = `Nutzer gesperrt:\n &lt;b&gt;ruft Müller an&lt;/b&gt;\u202e ${'x'.repeat(5_000)}`;
  await door.signIn(door.tab(), { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder', statusMessage });
  const { detail } = (await house.api.get('/sign-ins?limit=1')).body.data[0] as { detail: string };
  expect(detail).toMatch(/Responder, and says: Nutzer gesperrt: <b>ruft Müller an<\/b> x{100,200}…$/);
});

long('shows the words of the IdP beside a failed status as text in a test', async () => {
  const door = await SamlWay.open(service, house);
  const { body } = await house.api.post(`/connections/${door.id}/test-sign-in`);
  const tab = door.tab();
  const asked = new URL((await tab.post(body.url as string)).location!).searchParams;
  const xml = inflateRawSync(Buffer.from(asked.get('SAMLRequest')!, 'base64')).toString('utf8');
  const statusMessage = 'User is &lt;script&gt;alert(1)&lt;/script&gt; not assigned';
  const status = 'urn:oasis:names:tc:SAML:2.0:status:Requester';
  const form = door.idp.form(door.parts(/\bID="([^"]+)"/.exec(xml)![1]!, { status, statusMessage }));
  const page = await door.post(tab, form);
  expect(page.text).toContain('and says: User is &lt;script&gt;alert(1)&lt;/script&gt; not assigned');
});
