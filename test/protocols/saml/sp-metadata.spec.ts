import { spMetadata } from '../../../src/protocols/saml/sp-metadata.js';
import type { SamlSettings } from '../../../src/protocols/saml/saml-settings.js';
import { samlIdp, type SamlIdp } from './support/idp.js';
import { newKey } from './support/keys.js';

let idp: SamlIdp;
let keys: Parameters<typeof spMetadata>[1]['keys'];
beforeAll(async () => {
  idp = await samlIdp();
  const key = { ...(await newKey('sp')), id: 'k1' };
  keys = { current: key, all: [key] };
});

// ADFS encrypts to each relying party with a key for it, by AES-CBC alone, and that is believed only inside a signed Response.
it.each<[string, Partial<SamlSettings>, boolean]>([
  ['any IdP', {}, true],
  ['ADFS', { ssoUrl: 'https://adfs.example.com/adfs/ls/' }, false],
  ['ADFS, in other letters', { ssoUrl: 'https://ADFS.example.com/ADFS/LS' }, false],
  ['ADFS that signs the Response', { ssoUrl: 'https://adfs.example.com/adfs/ls/', signed: 'both' }, true],
  ['a name alike', { ssoUrl: 'https://idp.example.com/adfs/lsx' }, true],
])('offers %s its key for encryption', (_name, changes, expected) => {
  const addresses = { acsUrl: 'https://app.example.com/acs', sloUrl: 'https://app.example.com/slo', keys };
  const xml = spMetadata(idp.connection(changes), addresses);
  expect(xml.includes('use="encryption"')).toBe(expected);
  expect(xml).toContain('use="signing"');
});
