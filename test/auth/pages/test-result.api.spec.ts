import { X509Certificate } from 'node:crypto';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';
import { hostileOp, type HostileOp } from '../oidc/support/op.js';
import type { AnswerParts, AnswerShape } from '../saml/support/idp.js';
import { newKey } from '../saml/support/keys.js';
import { OidcDoor, SamlDoor } from '../support/doors.js';

// What an admin sees of a test sign-in, at a glance.

let service: TestApp;
let house: House;
let op: HostileOp;
beforeAll(async () => {
  service = await startApp();
  house = await newHouse(service);
  op = await hostileOp(() => new Date());
});
afterAll(async () => {
  await op.stop();
  await service.close();
});

/** The text of a page as it is read, without its mark-up. */
const read = (page: string) => page.replace(/<style>[^]*<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');

async function samlTest(door: SamlDoor, parts: AnswerParts, shape: AnswerShape = {}): Promise<string> {
  const { body } = await house.api.post(`/connections/${door.id}/test-sign-in`);
  const tab = door.tab();
  const begun = await tab.post(body.url as string);
  const relayState = new URL(begun.location!).searchParams.get('RelayState')!;
  const form = door.idp.form(door.parts(`_${relayState}`, parts), shape);
  form.set('RelayState', relayState);
  return read((await door.post(tab, form)).text);
}

it('says that it works, what the NameID is, what was signed by which certificate, and the next step', async () => {
  const door = await SamlDoor.open(service, house, { directory_id: house.directoryId, enabled: false });
  const nameId = fresh('name');
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: nameId }));
  const { fingerprint256 } = new X509Certificate(door.idp.key.certificate);
  const one = await samlTest(door, { nameId });
  expect(one).toContain('✓ Works. This would sign in');
  expect(one).toContain(`Next step: Enable the connection: talent-bridge connection enable ${door.slug}`);
  expect(one).toContain(`NameID ${nameId} NameID format urn:oasis:names:tc:SAML:2.0:nameid-format:persistent`);
  expect(one).toContain(`signed the assertion, by the certificate ${fingerprint256.slice(0, 16)}…`);
  await house.api.patch(`/connections/${door.id}`, { enabled: true, signed: 'both' });
  const both = await samlTest(door, { nameId }, { sign: 'both' });
  expect(both).toContain('signed the Response and the assertion, by the certificate');
  expect(both).toContain('Next step: The connection is enabled');
});

it('says that it is refused, why, and what to do next', async () => {
  const door = await SamlDoor.open(service, house, { directory_id: house.directoryId });
  const unknown = await samlTest(door, { nameId: 'nobody', attributesXml: '' });
  expect(unknown).toMatch(/✗ Refused\. unknown_account: .* In the sign-in log: sin_/);
  expect(unknown).toContain('Next step: Let the directory send this user');
  const stranger = await samlTest(door, {}, { key: await newKey('stranger') });
  expect(stranger).toMatch(/signature_invalid: .* brought the certificate .* Next step: Compare the certificate/);
  expect(await samlTest(door, { audience: 'urn:other' })).toContain(`talent-bridge connection show ${door.slug}`);
  const large = `<saml:AttributeStatement><saml:Attribute Name="photo"><saml:AttributeValue>${'x'.repeat(16_385)}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;
  expect(await samlTest(door, { nameId: 'nobody', attributesXml: large })).toContain(
    'left out photo: a value has more',
  );
});

it('names algorithm and key of OIDC', async () => {
  const door = await OidcDoor.open(service, house, { directory_id: house.directoryId }, op);
  const sub = fresh('sub');
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  const page = read((await door.test(house, { sub })).text);
  expect(page).toContain('✓ Works.');
  expect(page).toContain('signed the ID token, by RS256, key key-1');
});
