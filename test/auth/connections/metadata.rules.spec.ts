import type { IdpMetadata } from '../../../src/protocols/saml/metadata.rules.js';
import { idpFromMetadata, needsConfirmation } from '../../../src/auth/connections/metadata.rules.js';
import type { StoredSamlSettings } from '../../../src/auth/connections/connection.js';
import { base64Of, pemOf } from '../../../src/protocols/saml/certificate.rules.js';
import { newKey } from '../../protocols/saml/support/keys.js';
import { samlSettings } from './support/settings.js';

const now = new Date('2030-06-01T12:00:00.000Z');
let pems: string[];
let before: StoredSamlSettings;
beforeAll(async () => {
  pems = (await Promise.all([newKey('one'), newKey('two')])).map(({ certificate }) => pemOf(base64Of(certificate))!);
  before = { ...samlSettings, certificates: [{ pem: pems[0]!, added_at: '2030-01-01T00:00:00.000Z' }] };
});
const metadata = (change: Partial<IdpMetadata> = {}): IdpMetadata => ({
  entityId: samlSettings.idp_entity_id,
  ssoUrl: 'https://idp.example.com/sso',
  ssoBinding: 'redirect',
  sloUrl: null,
  sloBinding: null,
  sloResponseUrl: null,
  certificates: [pems[0]!],
  validUntil: null,
  cacheSeconds: 3600,
  ...change,
});
const map = (change: Partial<IdpMetadata> = {}) =>
  idpFromMetadata(metadata(change), before, now, { allowPrivate: false });

it('maps metadata to settings, and keeps the time of a known certificate', () => {
  expect(map()).toMatchObject({
    idp: { idp_entity_id: samlSettings.idp_entity_id, certificates: before.certificates, metadata_cache_seconds: 3600 },
  });
});

it.each<[string, Partial<IdpMetadata>, RegExp]>([
  ['http', { ssoUrl: 'http://idp.example.com/sso' }, /SingleSignOnService must begin with https/],
  ['a script', { sloUrl: 'javascript:alert(1)' }, /SingleLogoutService must begin with https/],
  ['a long address', { sloResponseUrl: `https://idp.example.com/${'a'.repeat(2000)}` }, /\(ResponseLocation\)/],
  ['a long entity id', { entityId: 'x'.repeat(1025) }, /longer than 1024/],
  ['a certificate that cannot be used', { certificates: ['x'] }, /./],
])('refuses %s', (_what, change, problem) => {
  expect(map(change)).toEqual({ problem: expect.stringMatching(problem) });
});

it.each<[string, object, object, boolean]>([
  ['a further certificate', {}, { certificates: [0, 1] }, false],
  ['other certificates alone', {}, { certificates: [1] }, true],
  [
    'other certificates in signed metadata',
    { metadata_certificates: [{ pem: 'x', added_at: '' }] },
    { certificates: [1] },
    false,
  ],
  ['another IdP', {}, { entityId: 'urn:other', certificates: [0] }, true],
  [
    'another IdP in signed metadata',
    { metadata_certificates: [{ pem: 'x', added_at: '' }] },
    { entityId: 'urn:other', certificates: [0] },
    true,
  ],
])('decides whether an admin has to confirm %s', (_what, known, change, expected) => {
  const { entityId, certificates } = { entityId: samlSettings.idp_entity_id, certificates: [0], ...change };
  const found = map({ entityId, certificates: certificates.map((i) => pems[i]!) }) as { idp: StoredSamlSettings };
  expect(needsConfirmation({ ...before, ...known }, found.idp) !== null).toBe(expected);
});
