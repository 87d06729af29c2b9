import type { TestApp } from '../../../support/app.js';
import type { House } from '../../../support/house.js';
import type { HostileOp } from '../../../protocols/oidc/support/op.js';
import { long } from '../../../support/rounds.js';
import { pairedHouse } from '../../../support/sign-in/paired-house.js';
import { reasonOf, type OidcWay, type SamlWay } from '../../../support/sign-in/connections.js';
import { Tab, type Seen } from '../../../support/sign-in/tab.js';

// What a person sees who cannot sign in: each page has words of its own, and a way on.

let service: TestApp;
let house: House;
let op: HostileOp;
let oidc: OidcWay;
let saml: SamlWay;
let close: () => Promise<void>;
beforeAll(async () => ({ service, house, op, oidc, saml, close } = await pairedHouse()));
afterAll(() => close());

const tab = () => new Tab(service);
const titleOf = ({ text }: Seen) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
const BLOCKED = 'Your browser blocks our cookies';
const EXPIRED = 'This sign-in has expired';
const LOST = 'Your browser has lost the sign-in';

describe('a browser that blocks cookies', () => {
  it('sees the reason after OIDC, and is not sent round again', async () => {
    const seen = await oidc.answer(tab(), await oidc.begin(tab()));
    expect([seen.status, seen.location, titleOf(seen)]).toEqual([400, null, BLOCKED]);
    expect(seen.text).toContain(`/api/auth/login?connection=${oidc.slug}`);
    expect(await reasonOf(house, seen)).toBe('other_browser');
  });

  long('sees the reason after SAML, whose answer another site posts', async () => {
    const { id, relayState } = await saml.begin(tab());
    const form = saml.idp.form(saml.parts(id));
    form.set('RelayState', relayState);
    const seen = await saml.post(tab(), form);
    expect([seen.status, titleOf(seen)]).toEqual([400, BLOCKED]);
    expect(await reasonOf(house, seen)).toBe('other_browser');
  });

  it('reads that the sign-in is lost when other cookies of this site came', async () => {
    const other = tab();
    await oidc.begin(other);
    const seen = await oidc.answer(other, await oidc.begin(tab()));
    expect(titleOf(seen)).toBe(LOST);
    expect(seen.text).toContain('Allow cookies for this site, then sign in again.');
    const { id, relayState } = await saml.begin(tab());
    const form = saml.idp.form(saml.parts(id));
    form.set('RelayState', relayState);
    expect(titleOf(await saml.post(other, form))).toBe(LOST);
  });

  it('shows the expired page with a used or expired sign-in', async () => {
    const asked = await oidc.begin(tab());
    await service.db.execute(`update sign_in_requests set expires_at = now() where id = '${asked.get('state')!}'`);
    expect(titleOf(await oidc.answer(tab(), asked))).toBe(EXPIRED);
    const unknown = await tab().get(`/api/auth/callback/${oidc.slug}?state=x&code=y`);
    expect(titleOf(unknown)).toBe(EXPIRED);
    const landing = await tab().get(`/api/auth/landing/${saml.slug}?support_id=sin_${'0'.repeat(26)}`);
    expect(titleOf(landing)).toBe(EXPIRED);
  });
});

describe('a browser at another address than that of the settings', () => {
  const document = { 'sec-fetch-dest': 'document' };

  it('is led to the address of the settings before the sign-in begins, once', async () => {
    const base = service.app.config.appUrl;
    const path = `/api/auth/login?connection=${oidc.slug}&return_to=%2Fdeep%3Fa%3Db`;
    const seen = await tab().get(path, document);
    expect([seen.status, seen.location]).toEqual([302, `${base}${path}&here=1`]);
    expect(seen.headers.getSetCookie()).toEqual([]);
    expect((await tab().get('/api/auth/login', document)).location).toBe(`${base}/api/auth/login?here=1`);
    // A proxy that changes the host of every request ends no round.
    const next = await tab().get(seen.location!, document);
    expect([next.status, new URL(next.location!).origin]).toEqual([302, op.issuer]);
  });

  it('is led to no other address by a Host header', async () => {
    const answer = await fetch(`${service.url}/api/auth/login?connection=${oidc.slug}`, {
      redirect: 'manual',
      headers: { ...document, accept: 'text/html', 'x-forwarded-host': 'evil.example' },
    });
    expect(new URL(answer.headers.get('location')!).origin).toBe(new URL(service.app.config.appUrl).origin);
  });
});

describe('every refusal below /api/auth', () => {
  it.each<[string, number, RegExp]>([
    ['/api/auth/login?connection=unknown', 404, /There is no sign-in at this address/],
    ['/api/auth/nothing', 404, /There is no sign-in at this address/],
    ['/api/auth/callback/unknown', 404, /There is no sign-in at this address/],
    ['/api/auth/login?prompt=x', 422, /This link does not work[^]*<code>prompt<\/code> must be one of/],
    ['/api/auth/login?email=a&email=b', 400, /This link does not work/],
    ['/api/auth/session', 401, /You are not signed in/],
    ['/api/auth/logout', 405, /cannot be opened like this/],
  ])('%s is a page with a next step', async (path, status, words) => {
    const seen = await tab().get(path);
    expect([seen.status, seen.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(seen.text).toMatch(words);
    expect(seen.text).toMatch(/<a class="button" href="\/api\/auth\/login">Sign in<\/a>/);
    expect(seen.text).toMatch(/<code>req_[0-9a-z]+<\/code>/);
    expect(seen.text).not.toContain('No such');
    expect(seen.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const program = await tab().send('GET', path, undefined, { accept: 'application/json' });
    expect([program.status, program.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  });

  it('shows values of the address as text', async () => {
    const seen = await tab().get('/api/auth/login?prompt=%3Cscript%3Ealert(1)%3C/script%3E&%3Cb%3E=1');
    expect(seen.text).not.toMatch(/<script|<b>/);
  });
});
