import { inflateRawSync } from 'node:zlib';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { newKey } from '../../../protocols/saml/support/keys.js';
import { logoutForm, logoutQuery, type LogoutParts } from '../../../protocols/saml/support/logout.js';
import { long } from '../../../support/rounds.js';
import { reasonOf, SamlWay } from '../../../support/sign-in/connections.js';
import type { Seen, Tab } from '../../../support/sign-in/tab.js';

type Kind = 'LogoutRequest' | 'LogoutResponse';
type Key = SamlWay['idp']['key'] | null;

// Single logout by SAML as browsers bring it, in both bindings. What one message may say is tried in test/protocols/saml.
let service: TestApp;
let house: House;
let saml: SamlWay;
let mallory: SamlWay['idp']['key'];
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  saml = await SamlWay.open(service, house, { directory_id: house.directoryId });
  mallory = await newKey('mallory');
});
afterAll(() => service.close());

async function signedIn(): Promise<{ tab: Tab; sub: string }> {
  const sub = fresh('slo');
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  const tab = saml.tab();
  expect((await saml.signIn(tab, { nameId: sub })).status).toBe(303);
  return { tab, sub };
}

/** What an honest message of the IdP for a connection says, unless told otherwise. */
const parts = (door: SamlWay, sub: string, more: LogoutParts): LogoutParts => ({
  id: `_l${fresh()}`,
  issuer: door.idp.entityId,
  destination: `${service.app.config.appUrl}/api/auth/slo/${door.slug}`,
  nameIdXml: `<saml:NameID>${sub}</saml:NameID>`,
  ...more,
});
const query = (sub: string, more: LogoutParts = {}, key: Key = saml.idp.key, kind: Kind = 'LogoutRequest') =>
  logoutQuery(kind, key, parts(saml, sub, more));
const form = (sub: string, more: LogoutParts = {}, key: Key = saml.idp.key, kind: Kind = 'LogoutRequest') =>
  logoutForm(kind, key, parts(saml, sub, more));
const go = (raw: string): Promise<Seen> => saml.tab().get(`/api/auth/slo/${saml.slug}?${raw}`);
const post = (fields: Map<string, string>, door = saml): Promise<Seen> =>
  door.tab().post(`/api/auth/slo/${door.slug}`, fields);

const refusal = async (seen: Seen): Promise<[number, string]> => [seen.status, await reasonOf(house, seen)];
/** The answer that a browser takes back to the IdP. */
const answerOf = (seen: Seen): string =>
  inflateRawSync(Buffer.from(new URL(seen.location!).searchParams.get('SAMLResponse')!, 'base64')).toString('utf8');

it.each(['first', 'second'])('ends a session of two AuthnStatements by the %s SessionIndex', async (index) => {
  const sub = fresh('two');
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  const statement = (name: string): string =>
    `<saml:AuthnStatement AuthnInstant="${new Date().toISOString()}" SessionIndex="${sub}-${name}"><saml:AuthnContext>` +
    `<saml:AuthnContextClassRef>urn:x</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
  const authnXml = statement('first') + statement('second');
  const tab = saml.tab();
  // The first sign-in links the user, the second one takes the way of known users.
  for (let i = 0; i < 2; i++) expect((await saml.signIn(tab, { nameId: sub, authnXml })).status).toBe(303);
  await go(query(sub, { sessionIndexes: [`${sub}-third`] }));
  expect(await tab.who()).not.toBeNull();
  await go(query(sub, { sessionIndexes: [`${sub}-${index}`] }));
  expect(await tab.who()).toBeNull();
  // An answer that the IdP issued before is refused by either index.
  const late = await saml.signIn(saml.tab(), { nameId: sub, authnXml, now: new Date(Date.now() - 5_000) });
  expect(await reasonOf(house, late)).toBe('idp_session_ended');
});

describe('single logout by a query (HTTP-Redirect)', () => {
  long(
    'ends the named sessions, responds to the IdP, and refuses unsigned, forged, misdirected or repeated requests',
    async () => {
      const { tab, sub } = await signedIn();
      for (const [what, raw, reason] of [
        ['unsigned', query(sub, {}, null), 'signature_missing'],
        ['another key', query(sub, {}, mallory), 'signature_invalid'],
        ['another address', query(sub, { destination: 'https://other.example/slo' }), 'destination_mismatch'],
        ['changed', query(sub).replace('RelayState=', 'RelayState=x'), 'signature_invalid'],
        ['nothing', '', 'binding_refused'],
      ] as const) {
        expect([what, ...(await refusal(await go(raw)))]).toEqual([what, 401, reason]);
        expect(await tab.who()).not.toBeNull();
      }
      expect((await go(query('another'))).status).toBe(303);
      expect(await tab.who()).not.toBeNull();
      const good = query(sub, { id: '_good-query' });
      const seen = await go(good);
      expect(seen.status).toBe(303);
      expect(answerOf(seen)).toContain('InResponseTo="_good-query"');
      expect(await tab.who()).toBeNull();
      expect(await refusal(await go(good))).toEqual([401, 'replayed']);
    },
  );
});

describe('single logout by a form (HTTP-POST)', () => {
  long('ends the named sessions and no others, and responds to the IdP', async () => {
    const { tab, sub } = await signedIn();
    const other = await signedIn();
    const unknown = await post(form('another', { id: '_unknown' }));
    expect(unknown.status).toBe(303);
    expect(await tab.who()).not.toBeNull();
    const seen = await post(form(sub, { id: '_good-form' }));
    expect(seen.status).toBe(303);
    expect(seen.location).toMatch(/^https:\/\/idp\.example\.com\/slo\?/);
    expect(new URL(seen.location!).searchParams.get('RelayState')).toBe('state-1');
    expect(answerOf(seen)).toMatch(/InResponseTo="_good-form".*status:Success/s);
    expect(await tab.who()).toBeNull();
    expect(await other.tab.who()).not.toBeNull();
    const { body } = await house.api.get('/sign-ins?outcome=success&limit=1');
    expect(body.data[0]).toMatchObject({ kind: 'logout', subject: sub, detail: 'by the IdP (SAML)' });
  });

  it('ends one session when it names one', async () => {
    const { tab, sub } = await signedIn();
    expect((await post(form(sub, { sessionIndexes: ['another-session'] }))).status).toBe(303);
    expect(await tab.who()).not.toBeNull();
    expect((await post(form(sub, { sessionIndexes: ['session-1'] }))).status).toBe(303);
    expect(await tab.who()).toBeNull();
  });

  long('refuses messages that are unsigned, forged, changed, misdirected, mixed or of the other binding', async () => {
    const { tab, sub } = await signedIn();
    const honest = form(sub);
    const text = Buffer.from(honest.get('SAMLRequest')!, 'base64').toString('utf8');
    const changed = text.replace(sub, 'another');
    const signedQuery = new URLSearchParams(query(sub));
    for (const [what, fields, reason] of [
      ['unsigned', form(sub, {}, null), 'signature_missing'],
      ['another key', form(sub, {}, mallory), 'signature_invalid'],
      ['another address', form(sub, { destination: 'https://other.example/slo' }), 'destination_mismatch'],
      ['another issuer', form(sub, { issuer: 'https://other.example' }), 'issuer_mismatch'],
      ['old', form(sub, { issueInstant: new Date(Date.now() - 700_000).toISOString() }), 'assertion_expired'],
      ['changed', new Map([['SAMLRequest', Buffer.from(changed).toString('base64')]]), 'signature_invalid'],
      ['two messages', new Map([...honest, ['SAMLResponse', 'x']]), 'binding_refused'],
      ['nothing', new Map(), 'binding_refused'],
      [
        'signed beside it',
        new Map([
          ...form(sub, {}, null),
          ['SigAlg', signedQuery.get('SigAlg')!],
          ['Signature', signedQuery.get('Signature')!],
        ]),
        'signature_missing',
      ],
    ] as [string, Map<string, string>, string][]) {
      expect([what, ...(await refusal(await post(fields)))]).toEqual([what, 401, reason]);
      expect(await tab.who()).not.toBeNull();
    }
    const inTheQuery = await saml.tab().post(`/api/auth/slo/${saml.slug}?${query(sub)}`);
    expect(await refusal(inTheQuery)).toEqual([401, 'binding_refused']);
    expect(await tab.who()).not.toBeNull();
    expect((await post(honest)).status).toBe(303);
    expect(await tab.who()).toBeNull();
  });

  long('works once, also for concurrent requests and in either binding', async () => {
    const { tab, sub } = await signedIn();
    const fields = form(sub, { id: '_once' });
    const seen = await Promise.all(Array.from({ length: 10 }, () => post(fields)));
    const refused = seen.filter(({ status }) => status !== 303);
    expect(refused).toHaveLength(9);
    expect(await tab.who()).toBeNull();
    for (const one of [...refused, await post(fields), await go(query(sub, { id: '_once' }))]) {
      expect(await refusal(one)).toEqual([401, 'replayed']);
    }
    expect((await saml.signIn(tab, { nameId: sub })).status).toBe(303);
    expect(await refusal(await post(fields))).toEqual([401, 'replayed']);
    expect(await tab.who()).not.toBeNull();
  });

  it('ends nothing when it is of another tenant’s IdP, though signed and with the same subject', async () => {
    const { tab, sub } = await signedIn();
    const stranger = await newHouse(service);
    const theirs = await SamlWay.open(service, stranger, {}, saml.idp);
    expect((await post(logoutForm('LogoutRequest', theirs.idp.key, parts(theirs, sub, {})), theirs)).status).toBe(303);
    expect(await refusal(await post(logoutForm('LogoutRequest', theirs.idp.key, parts(theirs, sub, {}))))).toEqual([
      401,
      'destination_mismatch',
    ]);
    expect(await tab.who()).not.toBeNull();
  });

  long('is answered by a form when the IdP reads forms', async () => {
    const door = await SamlWay.open(service, house, { slo_binding: 'post' });
    const seen = await post(
      logoutForm('LogoutRequest', door.idp.key, parts(door, 'unknown', { id: '_by-form' })),
      door,
    );
    expect([seen.status, seen.location]).toEqual([200, null]);
    expect(seen.text).toContain('action="https://idp.example.com/slo"');
    const message = /name="SAMLResponse" value="([^"]+)"/.exec(seen.text)![1]!;
    expect(Buffer.from(message, 'base64').toString('utf8')).toMatch(/InResponseTo="_by-form".*SignatureValue/s);
  });
});

describe('the IdP’s answer to a logout of ours', () => {
  it('leads to the page after a logout in both bindings, and ends no session', async () => {
    const { tab, sub } = await signedIn();
    for (const seen of [
      await go(query(sub, {}, saml.idp.key, 'LogoutResponse')),
      await post(form(sub, {}, saml.idp.key, 'LogoutResponse')),
    ]) {
      expect([seen.status, seen.location]).toEqual([303, `${service.app.config.appUrl}/api/auth/signed-out`]);
    }
    expect(await tab.who()).not.toBeNull();
  });

  long('is refused when it is unsigned, of another key or for another address', async () => {
    const bad: [LogoutParts, Key, string][] = [
      [{}, null, 'signature_missing'],
      [{}, mallory, 'signature_invalid'],
      [{ destination: 'https://other.example/slo' }, saml.idp.key, 'destination_mismatch'],
    ];
    for (const [more, key, reason] of bad) {
      expect(await refusal(await post(form('x', more, key, 'LogoutResponse')))).toEqual([401, reason]);
      expect(await refusal(await go(query('x', more, key, 'LogoutResponse')))).toEqual([401, reason]);
      // The session here was over before the IdP was asked; an IdP that does not sign its answer changes nothing of that.
      expect((await go(query('x', more, key, 'LogoutResponse'))).text).toContain(
        'If you signed out here, you are signed out here',
      );
      expect((await post(form('x', more, key, 'LogoutResponse'))).text).toContain(
        'If you signed out here, you are signed out here',
      );
      expect((await go(query('x', more, key))).text).toContain('You may still be signed in here');
    }
  });
});
