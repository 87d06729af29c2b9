import { X509Certificate } from 'node:crypto';
import type { SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';
import { metadataXml, MetadataServer } from './support/metadata.js';
import { samlIdp, type AnswerShape } from '../../protocols/saml/support/idp.js';
import { newKey } from '../../protocols/saml/support/keys.js';
import { logoutForm } from '../../protocols/saml/support/logout.js';
import { signElement } from '../../protocols/saml/support/sign.js';
import { long } from '../../support/rounds.js';
import { SamlWay } from '../../support/sign-in/connections.js';
import { Tab, type Seen } from '../../support/sign-in/tab.js';

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

long('signs in by a new certificate that the metadata has beside the known one, at the first try', async () => {
  const { door, old, say, signIn } = await opened();
  expect((await signIn()).status).toBe(303);
  say([old, next]);
  expect((await signIn({ key: next })).status).toBe(303);
  expect(idp.hits).toBe(1);
  expect((await signIn()).status).toBe(303);
  const { body } = await house.api.get(`/connections/${door.id}`);
  expect([body.certificates.length, body.metadata_problem]).toEqual([2, null]);
});

describe('users who come while the metadata is being read', () => {
  let other: TestApp;
  beforeAll(async () => (other = await startApp({}, service)));
  afterAll(() => other.close());
  afterEach(() => (idp.delayMs = 0));

  /** Three answers at each of two processes, at once. */
  async function six(door: SamlWay, nameId: string, key: SamlKeyPair): Promise<Seen[]> {
    const begun = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const tab = door.tab();
        const asked = await door.begin(tab);
        const form = door.idp.form(door.parts(asked.id, { nameId }), { key });
        form.set('RelayState', asked.relayState);
        return { tab: new Tab(i % 2 === 0 ? service : other, tab.jar), form };
      }),
    );
    return Promise.all(begun.map(({ tab, form }) => door.post(tab, form)));
  }

  long.each([0, 2_000])('are signed in when it has the new certificate after %i ms', async (delayMs) => {
    const { door, old, say, nameId } = await opened();
    say([old, next]);
    idp.delayMs = delayMs;
    expect((await six(door, nameId, next)).map(({ status }) => status)).toEqual(Array(6).fill(303));
    expect(idp.hits).toBe(1);
  });

  long('are refused, and the log lists the certificates of the metadata', async () => {
    const { door, nameId } = await opened();
    idp.say('no metadata', 500);
    idp.delayMs = 300;
    const details = await Promise.all((await six(door, nameId, stranger)).map(detailOf));
    for (const detail of details) expect(detail).toMatch(/The metadata was read .*answered 500.*refresh-metadata/);
    expect(idp.hits).toBe(1);
  });

  long('are refused when the process that read it has died', async () => {
    const { door, signIn } = await opened();
    await service.db.execute(
      `update connections set doubted_at = now() - interval '14 seconds' where id = '${door.id}'`,
    );
    expect(await detailOf(await signIn({ key: next }))).toContain('names no other certificate');
    expect(idp.hits).toBe(0);
  });
});

long('reads the metadata at most once a minute, and four times in ten', async () => {
  const { door, old, signIn, say } = await opened();
  const forged = async (minutes: number): Promise<number> => {
    await service.db.execute(
      `update connections set doubted_at = doubted_at - interval '${minutes} minutes',
         earlier_doubts = array(select t - interval '${minutes} minutes' from unnest(earlier_doubts) with ordinality d (t, n) order by n)
       where id = '${door.id}'`,
    );
    expect((await signIn({ key: stranger })).status).toBe(401);
    return idp.hits;
  };
  const hits: number[] = [];
  for (const minutes of [0, 0.9, 0.2, 1, 1, 6, 0.9]) hits.push(await forged(minutes));
  expect(hits).toEqual([1, 1, 2, 3, 4, 4, 5]);
  // One forged answer delays an honest renewal by a minute.
  say([old, next]);
  expect(await forged(1)).toBe(5);
  const renewed = await opened();
  await renewed.signIn({ key: stranger });
  renewed.say([renewed.old, next]);
  await service.db.execute(
    `update connections set doubted_at = doubted_at - interval '1 minute' where id = '${renewed.door.id}'`,
  );
  expect((await renewed.signIn({ key: next })).status).toBe(303);
});

long('signs in by a new certificate that is the only one where the metadata has to be signed, and is', async () => {
  const signed = (xml: string) => signElement(xml, 'EntityDescriptor', federation, { first: true });
  const certain = await opened({ metadata_certificates: [federation.certificate] }, signed);
  certain.say([next]);
  expect((await certain.signIn({ key: next })).status).toBe(303);
  expect((await certain.signIn()).status).toBe(401);
});

long('waits for an admin when no known certificate is left and the metadata is unsigned', async () => {
  const { door, say, signIn } = await opened();
  say([stranger]);
  const detail = await detailOf(await signIn({ key: stranger }));
  expect(detail).toContain(`connection refresh-metadata ${door.slug} --confirm`);
  expect((await signIn()).status).toBe(303);
  const { body } = await house.api.post(`/connections/${door.id}/refresh-metadata`, { confirm: true });
  expect(body.certificates).toHaveLength(1);
  expect((await signIn({ key: stranger })).status).toBe(303);
});

long('waits for an admin when signed metadata is of another IdP', async () => {
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

long('reads the metadata once when forged messages come at once', async () => {
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

long('names the certificate of the message, the pinned ones and the remedy', async () => {
  const { door, old, signIn, say } = await opened();
  const unknown = await detailOf(await signIn({ key: stranger }));
  expect(unknown).toContain(`brought the certificate ${shortOf(stranger)} (until `);
  expect(unknown).toContain(`pinned: ${shortOf(old)} (until `);
  expect(unknown).toContain(`connection refresh-metadata ${door.slug}`);
  // A signature by another key beside the right certificate is a forgery, and no renewal.
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

long('ends a session when a logout is signed by the new certificate', async () => {
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
