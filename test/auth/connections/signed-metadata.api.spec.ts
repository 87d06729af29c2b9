import { WorkEngine } from '../../../src/engine/work/work.engine.js';
import type { SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import { newKey } from '../../protocols/saml/support/keys.js';
import { signElement, type SignOptions } from '../../protocols/saml/support/sign.js';
import { long } from '../../support/rounds.js';
import { authAdmin, type AuthAdmin } from './support/auth-admin.js';
import { certificate, metadataXml, MetadataServer } from './support/metadata.js';

let edge: AuthAdmin;
let idp: MetadataServer;
let federation: SamlKeyPair;
let stranger: SamlKeyPair;
let pem: string;
beforeAll(async () => {
  edge = await authAdmin();
  idp = await MetadataServer.start();
  [federation, stranger, pem] = await Promise.all([newKey('federation'), newKey('stranger'), certificate()]);
});
afterAll(async () => {
  await edge.close();
  await idp.close();
});

const plain = (attributes = 'ID="_m1"', certificates = [pem]): string => metadataXml({ certificates, attributes });
const signed = (xml = plain(), key = federation, options: SignOptions = {}): string =>
  signElement(xml, 'EntityDescriptor', key, { first: true, ...options });
const post = (more: object) =>
  edge.tenant.api.post('/connections', {
    type: 'saml',
    name: 'Federation',
    metadata_certificates: [federation.certificate],
    ...more,
  });

describe('metadata that has to be signed', () => {
  long(
    'is accepted when the named key has signed it, by text and by address, and shows the expected signer',
    async () => {
      const byText = await post({ metadata_xml: `\ufeff  ${signed()}` });
      expect([byText.status, byText.body.errors]).toEqual([201, undefined]);
      expect(byText.body.metadata_certificates).toMatchObject([{ fingerprint: expect.any(String) }]);
      idp.say(signed());
      const byAddress = await post({ metadata_url: idp.url });
      expect(byAddress.status).toBe(201);
      const again = await edge.tenant.api.patch(`/connections/${byAddress.body.id}`, byAddress.body);
      expect(again.body).toEqual(byAddress.body);
      const sha1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
      const inner = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${signed().replace(/^<\?xml.*?\?>/, '')}</md:EntitiesDescriptor>`;
      const bad: [string, string][] = [
      ['not signed', plain()],
      ['of another key', signed(plain(), stranger)],
      ['of another key, with the right certificate', signed(plain(), stranger, { keyInfo: federation })],
      ['changed', signed().replace('idp.example.com/sso', 'evil.example/sso')],
      ['signed inside alone', inner],
      ['without an ID', signed(plain('')).replace(/ I[dD]="_[^"]*"/, '')],
      ['with SHA-1', signed(plain(), federation, { algorithm: sha1 })],
      ['with more around it', signed().replace('</md:EntityDescriptor>', '<x:y xmlns:x="urn:x"/></md:EntityDescriptor>')],
    ]; // prettier-ignore
      for (const [what, xml] of bad) {
        const { status, body } = await post({ metadata_xml: xml });
        expect([what, status, body.errors?.[0]?.field]).toEqual([what, 422, 'metadata_xml']);
      }
      expect((await post({ metadata_xml: signed() })).status).toBe(201);
      // No signature is demanded: then any signature is accepted, and none at all.
      expect((await post({ metadata_certificates: [], metadata_xml: signed(plain(), stranger) })).status).toBe(201);
      const wrong = await post({ metadata_certificates: ['x'], metadata_xml: signed() });
      expect(wrong.body.errors[0].field).toBe('metadata_certificates');
    },
  );

  long('changes nothing when the next reading is unsigned', async () => {
    idp.say(signed());
    const { body } = await post({ metadata_url: idp.url });
    const refresh = () => edge.tenant.api.post(`/connections/${body.id}/refresh-metadata`, { confirm: true });
    const next = await certificate();
    idp.say(plain('ID="_m2"', [pem, next]));
    const refused = await refresh();
    expect([refused.status, refused.body.errors[0].message]).toEqual([422, expect.stringContaining('not signed')]);
    const shown = (await edge.tenant.api.get(`/connections/${body.id}`)).body;
    expect([shown.certificates.length, shown.metadata_problem]).toEqual([1, expect.stringContaining('not signed')]);
    idp.say(signed(plain('ID="_m2"', [pem, next])));
    expect((await refresh()).body.certificates).toHaveLength(2);
  });

  it('is refused with a reason when it is too large to be verified in time', async () => {
    const many = Array.from({ length: 5_000 }, () => '<x:y xmlns:x="urn:x"/>').join('');
    const heavy = signed().replace('</md:EntityDescriptor>', `${many}</md:EntityDescriptor>`);
    const { status, body } = await post({ metadata_xml: heavy });
    expect([status, body.errors[0].message]).toEqual([422, expect.stringContaining('too large')]);
  });
});

describe('the interval of metadata', () => {
  const HOUR = 1 / 24;
  const looked = async (days: number): Promise<boolean> => {
    edge.clock.move(days);
    idp.hits = 0;
    await edge.app.get(WorkEngine).drain('connections.metadata');
    return idp.hits > 0;
  };

  it.each<[string, number | null, number, number]>([
    ['', null, 23 * HOUR, 2 * HOUR],
    [' cacheDuration="PT6H"', 21_600, 5 * HOUR, 2 * HOUR],
    [' cacheDuration="PT1S"', 1, 0.9 * HOUR, 0.2 * HOUR],
    [' cacheDuration="P1Y"', 31_536_000, 23 * HOUR, 2 * HOUR],
    [' cacheDuration="soon"', null, 23 * HOUR, 2 * HOUR],
  ])('with%s', async (attribute, seconds, early, later) => {
    await edge.db.query(`update connections set enabled = false`, []);
    idp.say(plain(`ID="_m1"${attribute}`));
    const { body } = await post({ metadata_certificates: [], metadata_url: idp.url });
    expect(body.metadata_cache_seconds).toBe(seconds);
    expect([await looked(early), await looked(later)]).toEqual([false, true]);
  });
});
