import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import type { AnswerParts } from '../../../protocols/saml/support/idp.js';
import { logoutForm } from '../../../protocols/saml/support/logout.js';
import { long } from '../../../support/rounds.js';
import { reasonOf, SamlWay } from '../../../support/sign-in/connections.js';
import type { Seen, Tab } from '../../../support/sign-in/tab.js';

// IdPs whose NameIDs are transient as installed (Shibboleth, SimpleSAMLphp): an attribute is the subject.

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const UID = 'urn:oid:0.9.2342.19200300.100.1.1';

let service: TestApp;
let house: House;
let door: SamlWay;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  door = await SamlWay.open(service, house, { directory_id: house.directoryId, subject_claim: UID });
});
afterAll(() => service.close());

const attribute = (name: string, value: string) =>
  `<saml:AttributeStatement><saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;
/** An answer about a user: each has another NameID. */
const about = (uid: string, more: AnswerParts = {}): AnswerParts => ({
  nameIdFormat: TRANSIENT,
  nameId: fresh('_transient'),
  attributesXml: attribute(UID, uid),
  ...more,
});

async function person(): Promise<{ uid: string; id: string }> {
  const uid = fresh('uid');
  return { uid, id: await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: uid })) };
}

/** What an IdP has the browser post when a user of that NameID signs out there. */
function logout(tab: Tab, nameId: string, more: object = {}): Promise<Seen> {
  const destination = `${service.app.config.appUrl}/api/auth/slo/${door.slug}`;
  const nameIdXml = `<saml:NameID Format="${TRANSIENT}">${nameId}</saml:NameID>`;
  const parts = { id: fresh('_out'), issuer: door.idp.entityId, destination, nameIdXml, sessionIndexes: [], ...more };
  return tab.post(`/api/auth/slo/${door.slug}`, logoutForm('LogoutRequest', door.idp.key, parts));
}

long('recognises the user by the attribute with every NameID', async () => {
  const { uid, id } = await person();
  for (let i = 0; i < 2; i++) {
    const tab = door.tab();
    expect((await door.signIn(tab, about(uid))).status).toBe(303);
    expect((await tab.who())!.user.id).toBe(id);
  }
  const { body } = await house.api.get(`/users/${id}/identities`);
  expect(body.data).toMatchObject([{ subject: uid, connection_id: door.id }]);
});

long('refuses a sign-in without the attribute, or with the attribute in the NameID', async () => {
  const { uid } = await person();
  const without = await door.signIn(door.tab(), about(uid, { attributesXml: attribute('urn:other', uid) }));
  expect([without.status, await reasonOf(house, without)]).toEqual([401, 'name_id_missing']);
  const asNameId = await door.signIn(door.tab(), about('unknown', { nameId: uid }));
  expect([asNameId.status, await reasonOf(house, asNameId)]).toEqual([403, 'unknown_account']);
  const plain = await SamlWay.open(service, house, { directory_id: house.directoryId });
  const refused = await plain.signIn(plain.tab(), about(uid));
  expect([refused.status, await reasonOf(house, refused)]).toEqual([401, 'name_id_missing']);
  expect((await door.signIn(door.tab(), about(uid))).status).toBe(303);
});

long('ends one session when a logout of the IdP names its NameID', async () => {
  const [one, other] = [await person(), await person()];
  const [tab, twin, stranger] = [door.tab(), door.tab(), door.tab()];
  const nameId = fresh('_transient');
  await door.signIn(tab, about(one.uid, { nameId }));
  await door.signIn(twin, about(one.uid));
  await door.signIn(stranger, about(other.uid));
  // A NameID that is the attribute of another user is not that user.
  expect((await logout(tab, other.uid)).status).toBe(303);
  expect(await stranger.who()).not.toBeNull();
  expect((await logout(tab, nameId)).status).toBe(303);
  expect(await tab.who()).toBeNull();
  expect([await twin.who(), await stranger.who()]).not.toContain(null);
});

it('ends a sign-in that the IdP asserted before its logout', async () => {
  const { uid } = await person();
  const nameId = fresh('_transient');
  expect((await logout(door.tab(), nameId)).status).toBe(303);
  const old = new Date(Date.now() - 60_000).toISOString();
  const seen = await door.signIn(door.tab(), about(uid, { nameId, issueInstant: old }));
  expect([seen.status, await reasonOf(house, seen)]).toEqual([403, 'idp_session_ended']);
  expect((await door.signIn(door.tab(), about(uid))).status).toBe(303);
});

it('ends all bindings and sessions when the attribute changes', async () => {
  const { uid, id } = await person();
  const tab = door.tab();
  await door.signIn(tab, about(uid));
  const changed = await house.api.patch(`/connections/${door.id}`, { subject_claim: 'urn:other' });
  expect(changed.body).toMatchObject({ subject_claim: 'urn:other', tested_at: null });
  expect(await tab.who()).toBeNull();
  const { body } = await house.api.get(`/users/${id}/identities`);
  expect(body.data).toMatchObject([{ subject: uid, end_reason: 'connection_changed' }]);
  const back = await house.api.patch(`/connections/${door.id}`, { subject_claim: UID });
  expect(back.body.subject_claim).toBe(UID);
  expect((await door.signIn(tab, about(uid))).status).toBe(303);
});

long('is a setting of SAML connections, which keep their test while it is unchanged', async () => {
  const plain = await SamlWay.open(service, house);
  const shown = await house.api.get(`/connections/${plain.id}`);
  expect(shown.body.subject_claim).toBeNull();
  const again = await house.api.patch(`/connections/${plain.id}`, { subject_claim: null });
  expect(again.body.version).toBe(shown.body.version);
  const body = { type: 'oidc', name: 'x', issuer: 'https://i.example', client_id: 'c', client_secret: 's' };
  const oidc = await house.api.post('/connections', { ...body, subject_claim: 'x' });
  expect([oidc.status, oidc.body.errors[0].field]).toEqual([422, 'subject_claim']);
});
