import { needsNewTest } from '../../../src/auth/connections/test-validity.rules.js';

type Side = Parameters<typeof needsNewTest>[0];

const pem = (text: string) => ({ pem: text, added_at: '2026-01-01T00:00:00Z' });
const saml = (settings: object = {}, more: object = {}): Side =>
  ({
    type: 'saml',
    directory_id: null,
    client_secret_sealed: null,
    private_key_sealed: null,
    settings: { idp_entity_id: 'urn:idp', sso_url: 'https://idp.example.com', certificates: [pem('a')], ...settings },
    ...more,
  }) as unknown as Side;

it.each<[string, object, object, boolean]>([
  ['another sign-in address', { sso_url: 'https://other.example.com' }, {}, true],
  ['another entity id', { idp_entity_id: 'urn:other' }, {}, true],
  ['another certificate in place of the first', { certificates: [pem('b')] }, {}, true],
  ['a certificate less', { certificates: [] }, {}, true],
  ['a further certificate', { certificates: [pem('a'), pem('b')] }, {}, false],
  ['the day on which a certificate was added', { certificates: [{ ...pem('a'), added_at: 'x' }] }, {}, false],
  ['another link claim', { link_claim: 'oid' }, {}, true],
  ['another directory', {}, { directory_id: 'dir_x' }, true],
  ['another client secret', {}, { client_secret_sealed: 'x' }, true],
  ['where users may be sent back to', { return_origins: ['https://app.example.com'] }, {}, false],
  ['the sign-out address', { slo_url: 'https://idp.example.com/slo' }, {}, false],
  ['a setting that is not known yet', { something_new: 1 }, {}, true],
  ['nothing', {}, {}, false],
])('%s', (_, settings, more, expected) => expect(needsNewTest(saml(), saml(settings, more))).toBe(expected));
