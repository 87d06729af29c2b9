import { X509Certificate } from 'node:crypto';
import type { SamlKeyPair } from '../../src/saml/saml-keys.js';
import { startApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { fresh, madeUser, user } from '../support/scim.js';
import { metadataXml, MetadataServer } from './support/metadata.js';
import { samlIdp, type AnswerShape } from '../saml/support/idp.js';
import { newKey } from '../saml/support/keys.js';
import { logoutForm } from '../saml/support/logout.js';
import { signElement } from '../saml/support/sign.js';
import { SamlWay } from '../support/sign-in/connections.js';
import type { Seen } from '../support/sign-in/tab.js';

// An IdP signs with a new certificate before anybody has told us.

let service: TestApp;
let house: House;
let idp: MetadataServer;
let next: SamlKeyPair;
let stranger: SamlKeyPair;
let federation: SamlKeyPair;
beforeAll(async () => {
  service = await startApp();
  house = await newHouse(service);
  idp = await MetadataServer.start();
  [next, stranger, federation] = await Promise.all([newKey('next'), newKey('stranger'), newKey('federation')]);
});
afterAll(async () => {
  await service.close();
  await idp.close();
});

const BY_METADATA = { idp_entity_id: undefined, sso_url: undefined, slo_url: undefined, certificates: undefined };
const shortOf = ({ certificate }: SamlKeyPair) => `${new X509Certificate(certificate).fingerprint256.slice(0, 16)}…`;

/** A connection whose certificates come from the metadata's address, with a user who signs in there. */
async function opened(more: object = {}, written = (xml: string) => xml) {
  const one = await samlIdp(`https://idp-${fresh()}.example.com/saml`);
  const say = (keys: SamlKeyPair[], attributes = 'ID="_m1"') => {
    const certificates = keys.map(({ certificate }) => certificate);
    const slo = 'https://idp.example.com/slo';
    idp.say(written(metadataXml({ entityId: one.entityId, certificates, slo, attributes })));
  };
  say([one.key]);
  const body = { ...BY_METADATA, metadata_url: idp.url, directory_id: house.directoryId, ...more };
  const door = await SamlWay.open(service, house, body, one);
  const nameId = fresh('name');
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: nameId }));
  idp.hits = 0;
  const signIn = (shape: AnswerShape = {}, tab = door.tab()) => door.signIn(tab, { nameId }, shape);
  return { door, old: one.key, say, signIn, nameId };
}

async function detailOf(seen: Seen): Promise<string> {
  const { body } = await house.api.get(`/sign-ins?support_id=${/sin_[0-9a-z]+/.exec(seen.text)![0]}`);
  expect(body.data[0].reason).toBe('signature_invalid');
  return body.data[0].detail as string;
}

const later = (id: string) =>
  service.db.execute(`update connections set doubted_at = doubted_at - interval '10 minutes' where id = '${id}'`);

it('signs in by a new certificate that the metadata has beside the known one, at the first try', async () => {
  const { door, old, say, signIn } = await opened();
  expect((await signIn()).status).toBe(303);
  say([old, next]);
  expect((await signIn({ key: next })).status).toBe(303);
  expect(idp.hits).toBe(1);
  expect((await signIn()).status).toBe(303);
  const { body } = await house.api.get(`/connections/${door.id}`);
  expect([body.certificates.length, body.metadata_problem]).toEqual([2, null]);
});

it('signs in by a new certificate that is the only one where the metadata has to be signed, and is', async () => {
  const signed = (xml: string) => signElement(xml, 'EntityDescriptor', federation, { first: true });
  const certain = await opened({ metadata_certificates: [federation.certificate] }, signed);
  certain.say([next]);
  expect((await certain.signIn({ key: next })).status).toBe(303);
  expect((await certain.signIn()).status).toBe(401);
});

it('lets an admin decide when none of the known certificates is left and the metadata is unsigned', async () => {
  const { door, say, signIn } = await opened();
  say([stranger]);
  const detail = await detailOf(await signIn({ key: stranger }));
  expect(detail).toContain(`connection refresh-metadata ${door.slug} --confirm`);
  expect((await signIn()).status).toBe(303);
  const { body } = await house.api.post(`/connections/${door.id}/refresh-metadata`, { confirm: true });
  expect(body.certificates).toHaveLength(1);
  expect((await signIn({ key: stranger })).status).toBe(303);
});

it('signed metadata of another IdP waits for an admin all the same', async () => {
  const signed = (xml: string) =>
    signElement(xml.replace(/entityID="[^"]*"/, 'entityID="https://other.example"'), 'EntityDescriptor', federation, {
      first: true,
    });
  const { door, signIn } = await opened();
  await house.api.patch(`/connections/${door.id}`, { metadata_certificates: [federation.certificate] });
  idp.say(signed(metadataXml({ certificates: [next.certificate], attributes: 'ID="_m1"' })));
  expect(await detailOf(await signIn({ key: next }))).toContain('other.example');
  expect((await signIn({ key: next })).status).toBe(401);
  expect((await signIn()).status).toBe(303);
});

it('reads the metadata once in ten minutes, however many forged messages come', async () => {
  const { door, old, signIn, say } = await opened();
  const pages = await Promise.all(Array.from({ length: 5 }, () => signIn({ key: stranger })));
  expect(pages.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  expect(idp.hits).toBe(1);
  say([old, next]);
  expect((await signIn({ key: next })).status).toBe(401);
  expect(idp.hits).toBe(1);
  await later(door.id);
  expect((await signIn({ key: next })).status).toBe(303);
  expect(idp.hits).toBe(2);
});

it('says which certificate came, which are pinned and what mends it', async () => {
  const { door, old, signIn, say } = await opened();
  const unknown = await detailOf(await signIn({ key: stranger }));
  expect(unknown).toContain(`brought the certificate ${shortOf(stranger)} (until `);
  expect(unknown).toContain(`pinned: ${shortOf(old)} (until `);
  expect(unknown).toContain(`connection refresh-metadata ${door.slug}`);
  // Somebody else's signature beside the right certificate is a forgery, and no renewal.
  const forged = await detailOf(await signIn({ key: stranger, signing: { keyInfo: old } }));
  expect(forged).toMatch(new RegExp(`brought the certificate ${shortOf(old)} \\(until [-\\d]+\\), which is pinned`));
  expect(await detailOf(await signIn({ key: stranger, signing: { keyInfo: null } }))).toContain(
    'brought no certificate',
  );
  await later(door.id);
  idp.say('no metadata', 500);
  expect(await detailOf(await signIn({ key: stranger }))).toContain('answered 500');
  say([old]);
  const byHand = await SamlWay.open(service, house);
  const set = await detailOf(await byHand.signIn(byHand.tab(), {}, { key: stranger }));
  expect(set).toContain(`connection set ${byHand.slug} --certificate-file`);
});

it('ends a session by a logout that the new certificate signs', async () => {
  const { door, old, say, signIn, nameId } = await opened();
  const tab = door.tab();
  await signIn({}, tab);
  say([old, next]);
  const base = service.app.config.appUrl;
  const to = { issuer: door.idp.entityId, destination: `${base}/api/auth/slo/${door.slug}` };
  const form = (key: SamlKeyPair) =>
    logoutForm('LogoutRequest', key, { ...to, nameIdXml: `<saml:NameID>${nameId}</saml:NameID>` });
  expect((await tab.post(`/api/auth/slo/${door.slug}`, form(next))).status).toBe(303);
  expect(await tab.who()).toBeNull();
  expect((await tab.post(`/api/auth/slo/${door.slug}`, form(stranger))).status).toBe(401);
});
