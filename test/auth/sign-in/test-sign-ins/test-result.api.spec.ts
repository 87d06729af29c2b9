import { X509Certificate } from 'node:crypto';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { client, eventually } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { hostileOp, type HostileOp } from '../../../protocols/oidc/support/op.js';
import type { AnswerParts, AnswerShape } from '../../../protocols/saml/support/idp.js';
import { newKey } from '../../../protocols/saml/support/keys.js';
import { long } from '../../../support/rounds.js';
import { OidcWay, SamlWay } from '../../../support/sign-in/connections.js';

// What an admin sees of a test sign-in, at a glance.

let service: TestApp;
let house: House;
let op: HostileOp;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  op = await hostileOp(() => new Date());
});
afterAll(async () => {
  await op.stop();
  await service.close();
});

/** The text of a page as it is read, without its mark-up. */
const read = (page: string) => page.replace(/<style>[^]*<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');

async function samlTest(door: SamlWay, parts: AnswerParts, shape: AnswerShape = {}): Promise<string> {
  const { body } = await house.api.post(`/connections/${door.id}/test-sign-in`);
  const tab = door.tab();
  const begun = await tab.post(body.url as string);
  const relayState = new URL(begun.location!).searchParams.get('RelayState')!;
  const form = door.idp.form(door.parts(`_${relayState}`, parts), shape);
  form.set('RelayState', relayState);
  return read((await door.post(tab, form)).text);
}

long('shows the success, the NameID, the signed parts with their certificate, and the next step', async () => {
  const door = await SamlWay.open(service, house, { directory_id: house.directoryId, enabled: false });
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

long('shows the refusal, its reason and the next step', async () => {
  const door = await SamlWay.open(service, house, { directory_id: house.directoryId });
  const unknown = await samlTest(door, { nameId: 'unknown', attributesXml: '' });
  expect(unknown).toMatch(/✗ Refused\. unknown_account: .* In the sign-in log: sin_/);
  expect(unknown).toContain('Next step: Let the directory send this user');
  const stranger = await samlTest(door, {}, { key: await newKey('stranger') });
  expect(stranger).toMatch(/signature_invalid: .* brought the certificate .* Next step: Compare the certificate/);
  expect(await samlTest(door, { audience: 'urn:other' })).toContain(`talent-bridge connection show ${door.slug}`);
  const large = `<saml:AttributeStatement><saml:Attribute Name="photo"><saml:AttributeValue>${'x'.repeat(16_385)}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;
  expect(await samlTest(door, { nameId: 'unknown', attributesXml: large })).toContain(
    'left out photo: a value has more',
  );
});

it('names algorithm and key of OIDC', async () => {
  const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
  const sub = fresh('sub');
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  const page = read((await door.test(house, { sub })).text);
  expect(page).toContain('✓ Works.');
  expect(page).toContain('signed the ID token, by RS256, key key-1');
});

/** A test of an OIDC connection, and the address of its answer, as a browser has it. */
async function tested(claims: Record<string, unknown>) {
  const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
  const link = (await house.api.post(`/connections/${door.id}/test-sign-in`)).body.url as string;
  const tab = door.tab();
  const asked = new URL((await tab.post(link)).location!).searchParams;
  const seen = await door.answer(tab, asked, claims);
  const callback = `/api/auth/callback/${door.slug}?code=used&state=${asked.get('state')!}`;
  return { door, link, tab, seen, callback };
}
const lines = async (id: string) => (await house.api.get(`/sign-ins?connection_id=${id}`)).body.data as unknown[];

it('shows the result again after a reload, for ten minutes, to its own browser', async () => {
  const sub = fresh('again');
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  const { door, link, tab, seen, callback } = await tested({ sub });
  expect(seen.text).toContain('✓ Works.');
  for (const address of [callback, link]) expect((await tab.get(address)).text).toBe(seen.text);
  expect(await lines(door.id)).toHaveLength(1);
  for (const address of [callback, link]) expect((await door.tab().get(address)).text).not.toContain('✓ Works.');
  await service.db.execute(`update sign_in_requests set result_until = now() where result is not null`);
  for (const address of [callback, link]) expect((await tab.get(address)).text).not.toContain('✓ Works.');
});

it('shows a refusal again as well', async () => {
  const { tab, seen, callback } = await tested({ aud: 'another' });
  expect(seen.text).toContain('audience_mismatch');
  expect((await tab.get(callback)).text).toBe(seen.text);
});

it('ends with the key that made it, whether it was opened or not', async () => {
  const door = await OidcWay.open(service, house, {}, op);
  const key = (await house.api.post('/api-keys', { name: 'contractor', scopes: ['admin'] })).body;
  const theirs = client(`${service.url}/api/v1`, key.api_key);
  const prepare = async () => (await theirs.post(`/connections/${door.id}/test-sign-in`)).body.url as string;
  const [opened, unopened] = [await prepare(), await prepare()];
  const tab = door.tab();
  const begun = await tab.post(opened);
  expect(begun.status).toBe(303);
  await house.api.delete(`/api-keys/${key.id}`);
  expect((await door.tab().post(unopened)).text).toContain('its link has expired');
  const seen = await door.answer(tab, new URL(begun.location!).searchParams);
  expect(seen.text).not.toContain('✓ Works.');
});

describe('the pages of a tenant', () => {
  it('carry its name, and its help link where one is set', async () => {
    const name = `Acme <${fresh()}>`;
    const help_url = 'mailto:it@acme.example?subject=Sign-in';
    await house.api.patch('/tenant', { name });
    const door = await OidcWay.open(service, house, {}, op);
    const link = (await house.api.post(`/connections/${door.id}/test-sign-in`)).body.url as string;
    const mark = `<p class="mark">${name.replace('<', '&lt;').replace('>', '&gt;')}</p>`;
    await eventually(() => door.tab().get(link), ({ text }) => text.includes(mark)); // prettier-ignore
    expect((await door.tab().get(link)).text).not.toContain('class="help"');
    expect((await house.api.patch('/tenant', { help_url })).body.help_url).toBe(help_url);
    const link2 = `<a class="help" href="${help_url}">Help with signing in to Acme`;
    await eventually(() => door.tab().get(link), ({ text }) => text.includes(link2)); // prettier-ignore
    const refused = await door.signIn(door.tab(), { sub: 'unknown', aud: 'x' });
    expect([refused.text.includes(mark), refused.text.includes(link2)]).toEqual([true, true]);
    expect((await house.api.patch('/tenant', { help_url: null })).body.help_url).toBeNull();
  });

  it.each(['http://acme.example', 'javascript:alert(1)', 'mailto:', 'https://u:p@acme.example', 'x', 5])(
    '%s is no help link',
    async (help_url) => {
      const refused = await house.api.patch('/tenant', { help_url });
      expect([refused.status, refused.body.errors?.[0].field]).toEqual([422, 'help_url']);
    },
  );
});
