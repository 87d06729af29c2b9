import { once } from 'node:events';
import http from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';
import { hostileOp, type HostileOp } from '../../protocols/oidc/support/op.js';
import { newKey } from '../../protocols/saml/support/keys.js';
import { long } from '../../support/rounds.js';
import { OidcWay, reasonOf, SamlWay } from '../../support/sign-in/connections.js';
import type { Seen, Tab } from '../../support/sign-in/tab.js';

// Attacks on a sign-in as a whole: on the state, the browser, the addresses. What is wrong inside a token or an
// assertion is tried in test/protocols/oidc and test/protocols/saml. Each suite begins and ends with an honest sign-in.
let service: TestApp;
let second: TestApp;
let house: House;
let oidc: OidcWay;
let saml: SamlWay;
let op: HostileOp;
beforeAll(async () => {
  service = await startApp();
  second = await startApp({}, service);
  house = await newHouse(service);
  op = await hostileOp(() => new Date());
  const more = { directory_id: house.directoryId };
  oidc = await OidcWay.open(service, house, more, op);
  saml = await SamlWay.open(service, house, more);
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'honest' }));
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'mallory' }));
});
afterAll(async () => {
  await op.stop();
  await second.close();
  await service.close();
});

async function honest(): Promise<void> {
  for (const seen of [
    await oidc.signIn(oidc.tab(), { sub: 'honest' }),
    await saml.signIn(saml.tab(), { nameId: 'honest' }),
  ]) {
    expect(seen.status).toBe(303);
  }
}
/** No user is signed in, and the log has the reason. */
async function refused(tab: Tab, answered: Seen, reason: string): Promise<void> {
  const seen = answered.location?.includes('/api/auth/landing/') ? await tab.get(answered.location) : answered;
  expect(seen.status).toBeGreaterThanOrEqual(400);
  expect(await tab.who()).toBeNull();
  expect(await reasonOf(house, seen)).toBe(reason);
}
beforeEach(honest);
afterEach(honest);

describe('attacks on the browser and the state', () => {
  long('login CSRF: the attacker’s answer in the victim’s browser is refused', async () => {
    const attacker = oidc.tab();
    const asked = await oidc.begin(attacker);
    const victim = oidc.tab();
    await refused(victim, await oidc.answer(victim, asked, { sub: 'mallory' }), 'other_browser');
    const samlAttacker = saml.tab();
    const { id, relayState } = await saml.begin(samlAttacker);
    const form = saml.idp.form(saml.parts(id, { nameId: 'mallory' }));
    form.set('RelayState', relayState);
    await refused(victim, await saml.post(victim, form), 'other_browser');
    // The victim has a sign-in of their own under way: its cookie does not help.
    await oidc.begin(victim);
    await refused(victim, await oidc.answer(victim, asked, { sub: 'mallory' }), 'other_browser');
    expect((await oidc.answer(attacker, asked, { sub: 'mallory' })).status).toBe(303);
  });

  long('a callback that is repeated, raced, made up, or without state is refused', async () => {
    const tab = oidc.tab();
    const asked = await oidc.begin(tab);
    const cookies = new Map(tab.jar);
    expect((await oidc.answer(tab, asked, { sub: 'honest' })).status).toBe(303);
    const again = oidc.tab();
    for (const [name, value] of cookies) again.jar.set(name, value);
    await refused(again, await oidc.answer(again, asked, { sub: 'honest' }), 'state_used');
    const raced = oidc.tab();
    const race = await oidc.begin(raced);
    const twins = Array.from({ length: 20 }, () => {
      const twin = oidc.tab();
      for (const [name, value] of raced.jar) twin.jar.set(name, value);
      return oidc.answer(twin, race, { sub: 'honest' });
    });
    const statuses = (await Promise.all(twins)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    for (const query of ['', '?code=x', '?state=x&code=y', '?state=&code=y', `?state=${'a'.repeat(52)}&code=y`]) {
      const unknown = oidc.tab();
      await refused(unknown, await unknown.get(`/api/auth/callback/${oidc.slug}${query}`), 'state_unknown');
    }
  });

  long('the state of another connection, of the same tenant or of another one, is refused', async () => {
    const other = await OidcWay.open(service, house, {}, op);
    const tab = oidc.tab();
    const asked = await other.begin(tab);
    await refused(tab, await oidc.answer(tab, asked, { sub: 'honest' }), 'state_unknown');
    const stranger = await newHouse(service);
    const theirs = await OidcWay.open(service, stranger, {}, op);
    const foreign = await theirs.begin(tab);
    await refused(tab, await oidc.answer(tab, foreign, { sub: 'honest' }), 'state_unknown');
  });

  it('mix-up: an answer that names another issuer is refused (RFC 9207)', async () => {
    const tab = oidc.tab();
    const asked = await oidc.begin(tab);
    const seen = await oidc.answer(tab, asked, { sub: 'honest' }, { iss: 'https://attacker.example' });
    await refused(tab, seen, 'issuer_mismatch');
  });

  it('an injected code is refused: nonce and verifier belong to the browser', async () => {
    const victim = oidc.tab();
    const theirs = await oidc.begin(victim);
    const attacker = oidc.tab();
    const own = await oidc.begin(attacker);
    // The OP answers for the victim's request, the attacker puts it into their own.
    op.nonce = theirs.get('nonce')!;
    const seen = await attacker.get(`/api/auth/callback/${oidc.slug}?code=stolen&state=${own.get('state')}`);
    await refused(attacker, seen, 'nonce_mismatch');
    const challenges = [theirs, own].map((asked) => asked.get('code_challenge'));
    expect(new Set(challenges).size).toBe(2);
    expect(own.get('nonce')!.length).toBeLessThanOrEqual(64);
    expect(own.get('code_challenge_method')).toBe('S256');
  });

  it('fixation: a session that the attacker planted ends with the sign-in', async () => {
    const planted = oidc.tab();
    await oidc.signIn(planted, { sub: 'mallory' });
    const victim = planted.twin();
    const before = planted.jar.get('__Host-session')!;
    await oidc.signIn(victim, { sub: 'honest' });
    const attacker = oidc.tab();
    attacker.jar.set('__Host-session', before);
    expect(await attacker.who()).toBeNull();
  });
});

describe('SAML messages as a whole', () => {
  long(
    'replay: one of several equal answers is accepted, also in a new envelope, and of 20 over two processes',
    async () => {
      const door = await SamlWay.open(service, house, { directory_id: house.directoryId, allow_idp_initiated: true });
      const form = door.idp.form(door.parts(null, { nameId: 'honest' }));
      const tab = door.tab();
      expect((await door.post(tab, form)).status).toBe(303);
      const again = door.tab();
      await refused(again, await door.post(again, form), 'replayed');
      const parts = door.parts(null, { nameId: 'honest' });
      expect((await door.post(door.tab(), door.idp.form(parts))).status).toBe(303);
      const envelope = door.idp.form({ ...parts, responseId: `_r${fresh()}` });
      await refused(again, await door.post(again, envelope), 'replayed');
      const many = door.idp.form(door.parts(null, { nameId: 'honest' }));
      const body = new URLSearchParams([...many]);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          fetch(`${(i % 2 ? service : second).url}/api/auth/callback/${door.slug}`, {
            method: 'POST',
            body,
            redirect: 'manual',
          }),
        ),
      );
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    },
  );

  long(
    'unsolicited answers are refused unless the connection permits them, and RelayState is never an address',
    async () => {
      const unknown = saml.tab();
      await refused(
        unknown,
        await saml.post(unknown, saml.idp.form(saml.parts(null, { nameId: 'honest' }))),
        'unsolicited',
      );
      const door = await SamlWay.open(service, house, { directory_id: house.directoryId, allow_idp_initiated: true });
      for (const relay of ['https://evil.example', '//evil.example', 'javascript:alert(1)', '/api/auth/session']) {
        const form = door.idp.form(door.parts(null, { nameId: 'honest' }));
        form.set('RelayState', relay);
        const seen = await door.post(door.tab(), form);
        expect([seen.status, seen.location]).toEqual([303, `${service.app.config.appUrl}/`]);
      }
    },
  );

  long('an answer to another request, tenant or connection of the same IdP is refused', async () => {
    const tab = saml.tab();
    const { id } = await saml.begin(tab);
    const other = saml.tab();
    const wrong = await saml.begin(other);
    const form = saml.idp.form(saml.parts(wrong.id, { nameId: 'honest' }));
    await refused(tab, await saml.post(tab, form), 'other_browser');
    const mixed = saml.idp.form(saml.parts(id, { nameId: 'honest' }));
    mixed.set('RelayState', wrong.relayState);
    await refused(tab, await saml.post(tab, mixed), 'in_response_to_mismatch');
    const twin = await SamlWay.open(service, house, { directory_id: house.directoryId }, saml.idp);
    const asked = await saml.begin(tab);
    const forTwin = saml.idp.form(twin.parts(asked.id, { nameId: 'honest' }));
    await refused(tab, await saml.post(tab, forTwin), 'destination_mismatch');
    const stranger = await newHouse(service);
    const theirs = await SamlWay.open(service, stranger, {}, saml.idp);
    const foreign = await theirs.begin(tab);
    const toThem = theirs.idp.form(theirs.parts(foreign.id, { nameId: 'honest' }));
    const seen = await theirs.post(tab, toThem);
    expect(await reasonOf(stranger, seen)).toBe('email_outside_domains');
    expect(await tab.who()).toBeNull();
  });

  long('an answer by GET, in the query, twice, or for OIDC is refused', async () => {
    const tab = saml.tab();
    const { id, relayState } = await saml.begin(tab);
    const form = saml.idp.form(saml.parts(id, { nameId: 'honest' }));
    const text = encodeURIComponent(form.get('SAMLResponse')!);
    const path = `/api/auth/callback/${saml.slug}`;
    await refused(tab, await tab.get(`${path}?SAMLResponse=${text}&RelayState=${relayState}`), 'binding_refused');
    await refused(tab, await tab.post(`${path}?SAMLResponse=${text}`, form), 'binding_refused');
    await refused(tab, await tab.post(path, [...form, ['SAMLRequest', 'x']]), 'binding_refused');
    expect((await tab.post(path, [...form, ...form])).status).toBe(400);
    const wrong = oidc.tab();
    await refused(wrong, await wrong.post(`/api/auth/callback/${oidc.slug}`, form), 'binding_refused');
    expect((await saml.post(tab, form)).status).toBe(303);
  });

  long('a flood of large forgeries is refused, and honest sign-ins succeed among them', async () => {
    const path = `/api/auth/callback/${saml.slug}`;
    const xml = (inner: string) =>
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_x" Version="2.0">${inner}</samlp:Response>`;
    const encoded = (text: string) => `SAMLResponse=${encodeURIComponent(Buffer.from(text).toString('base64'))}`;
    const hostile: Record<string, string> = {
      siblings: encoded(xml('<a/>'.repeat(16_000))),
      levels: encoded(xml('<a>'.repeat(5_000) + '</a>'.repeat(5_000))),
      attributes: encoded(xml(`<a ${Array.from({ length: 1_000 }, (_, i) => `b${i}="1"`).join(' ')}/>`)),
      text: encoded(xml(`<a>${'x'.repeat(190_000)}</a>`)),
      entities: encoded(`<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1000)}">]>${xml('<a>&b;&b;</a>')}`),
      '8 MiB': `SAMLResponse=${'A'.repeat(8 * 1024 * 1024)}`,
    };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    // Forms whose second half is held back until the others are through.
    const held = Array.from({ length: 10 }, () => {
      const body = hostile['text']!;
      const request = http.request(`${service.url}${path}`, {
        method: 'POST',
        headers: { ...type, 'content-length': body.length },
      });
      const half = body.length / 2;
      const answer = once(request, 'response') as Promise<[http.IncomingMessage]>;
      let isAnswered = false;
      request.once('response', () => (isAnswered = true));
      const begun = new Promise((resolve) => request.write(body.slice(0, half), resolve));
      return { begun, end: () => request.end(body.slice(half)), answer, isAnswered: () => isAnswered };
    });
    const statuses: string[] = [];
    let goesOn = true;
    const flood = Object.entries(hostile).map(async ([name, body]) => {
      do statuses.push(`${name}: ${(await saml.tab().send('POST', path, body, type)).status}`);
      while (goesOn && name !== '8 MiB');
    });
    try {
      await Promise.all(held.map(({ begun }) => begun));
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      await honest();
      expect(held.some(({ isAnswered }) => isAnswered())).toBe(false);
    } finally {
      goesOn = false;
      for (const { end } of held) end();
    }
    await Promise.all(flood);
    expect([...new Set(statuses)].sort()).toEqual([
      '8 MiB: 413', 'attributes: 401', 'entities: 401', 'levels: 401', 'siblings: 401', 'text: 403',
    ]); // prettier-ignore
    for (const { answer } of held) expect((await answer)[0].resume().statusCode).toBe(403);
  });

  long('an answer by another key is refused, and its good twin is accepted', async () => {
    const key = await newKey('mallory');
    const tab = saml.tab();
    await refused(tab, await saml.signIn(tab, { nameId: 'honest' }, { key }), 'signature_invalid');
  });
});

describe('open redirects', () => {
  it.each([
    'https://evil.example/', '//evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', 'javascript:alert(1)',
    'data:text/html,x', 'http:evil.example', 'https:evil.example', ' https://evil.example', '/%0d%0aLocation:x\r\n',
    'https://user@localhost:3000/', '.evil.example', '@evil.example',
  ])('%j is never a target', async (returnTo) => {
    const query = new URLSearchParams({ connection: oidc.slug, return_to: returnTo });
    const seen = await oidc.tab().get(`/api/auth/login?${query.toString()}`, { accept: 'application/json' });
    expect([seen.status, JSON.parse(seen.text).errors?.[0].field]).toEqual([422, 'return_to']);
  }); // prettier-ignore

  it('a path of ours is a target, also as an absolute address of our own origin', async () => {
    const own = service.app.config.appUrl;
    for (const [asked, got] of [
      ['/deep?x=1#y', `${own}/deep?x=1#y`],
      ['/..//evil.example', `${own}//evil.example`],
      [`${own}/whole`, `${own}/whole`],
      ['', `${own}/`],
    ]) {
      const seen = await oidc.signIn(oidc.tab(), { sub: 'honest' }, { return_to: asked! });
      expect([asked, seen.status, seen.location]).toEqual([asked, 303, got]);
    }
  });
});

describe('texts and logs of a refused sign-in', () => {
  long('show a page without the words of the IdP, and markup as text', async () => {
    const tab = oidc.tab();
    const asked = await oidc.begin(tab);
    const query = new URLSearchParams({
      state: asked.get('state')!,
      error: 'access_denied',
      error_description: '<script>alert(1)</script>',
    });
    const seen = await tab.get(`/api/auth/callback/${oidc.slug}?${query.toString()}`);
    await refused(tab, seen, 'idp_error');
    expect(seen.text).not.toContain('<script');
    expect(seen.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    const hostile = await oidc.signIn(oidc.tab(), { sub: 'x', email: '"><img src=x onerror=alert(1)>@e.com' });
    expect(hostile.text).toContain('&quot;&gt;&lt;img');
    expect(hostile.text).not.toContain('<img');
  });

  long('have no code, token, assertion or cookie', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'log-'));
    const file = path.join(folder, 'log');
    const { spawn } = await import('node:child_process');
    const { openSync } = await import('node:fs');
    const port = String(await (await import('../../../src/base/database/embedded/embedded-postgres.js')).freePort());
    const child = spawn(process.execPath, ['dist/main.js'], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        DATABASE_URL: service.databaseUrl,
        DATA_DIR: service.dataDir,
        PORT: port,
        BASE_URL: service.app.config.baseUrl,
        SANDBOX: 'off',
        LOG_LEVEL: 'debug',
        ALLOW_PRIVATE_DESTINATIONS: 'on',
      },
      stdio: ['ignore', openSync(file, 'a'), openSync(file, 'a')],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const base = `http://127.0.0.1:${port}`;
    try {
      await eventually(
        () => fetch(`${base}/readyz`).then(({ status }) => status, () => 0),
        (status) => status === 200,
        30_000,
      ); // prettier-ignore
      const secrets: string[] = [];
      const login = await fetch(`${base}/api/auth/login?connection=${oidc.slug}`, { redirect: 'manual' });
      const asked = new URL(login.headers.get('location')!).searchParams;
      const cookie = login.headers.getSetCookie().map((one) => one.split(';')[0]!).join('; '); // prettier-ignore
      secrets.push(asked.get('state')!, cookie.split('=')[1]!, 'canary-code-1');
      op.nonce = asked.get('nonce')!;
      op.tamper.claims = { sub: 'honest' };
      const query = new URLSearchParams({ state: asked.get('state')!, code: 'canary-code-1' });
      const done = await fetch(`${base}/api/auth/callback/${oidc.slug}?${query.toString()}`, {
        headers: { cookie },
        redirect: 'manual',
      });
      op.tamper.claims = {};
      expect(done.status).toBe(303);
      secrets.push(
        done.headers
          .getSetCookie()
          .find((one) => one.includes('session'))!
          .split(/[=;]/)[1]!,
      );
      // The built service verifies in threads that it has to find where it was built to.
      const begun = await fetch(`${base}/api/auth/login?connection=${saml.slug}`, { redirect: 'manual' });
      const relay = new URL(begun.headers.get('location')!).searchParams.get('RelayState')!;
      const good = saml.idp.form(saml.parts(`_${relay}`, { nameId: 'honest' }));
      const half = begun.headers.getSetCookie().map((one) => one.split(';')[0]!).join('; '); // prettier-ignore
      secrets.push(relay, half.split('=')[1]!, good.get('SAMLResponse')!.slice(200, 260));
      const byForm = await fetch(`${base}/api/auth/callback/${saml.slug}`, {
        method: 'POST',
        body: new URLSearchParams([...good]),
        headers: { cookie: half },
        redirect: 'manual',
      });
      expect(byForm.status).toBe(303);
      const form = saml.idp.form(saml.parts(null, { nameId: 'canary-name' }));
      secrets.push(form.get('SAMLResponse')!.slice(0, 60), 'canary-name');
      const posted = await fetch(`${base}/api/auth/callback/${saml.slug}`, {
        method: 'POST',
        body: new URLSearchParams([...form]),
      });
      expect(posted.status).toBe(403);
      child.kill('SIGTERM');
      await ended;
      const log = readFileSync(file, 'utf8');
      expect(log).toContain('/api/auth/callback/');
      expect(log).toContain('sign-in refused');
      expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
