import { needsNewTest, bindingEnd } from '../../../src/auth/connections/saving.rules.js';
import { oidcSettings, samlSettings } from './support/settings.js';

describe('test validity', () => {
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
});

describe('binding end', () => {
  const oidc = (change: object = {}, directory_id: string | null = null) =>
    ({ type: 'oidc', directory_id, settings: { ...oidcSettings, ...change } }) as const;
  const saml = (change: object = {}, directory_id: string | null = null) =>
    ({ type: 'saml', directory_id, settings: { ...samlSettings, ...change } }) as const;

  it.each([
    ['nothing', oidc(), oidc(), null],
    ['a client id', oidc(), oidc({ client_id: 'other' }), null],
    ['another issuer', oidc(), oidc({ issuer: 'https://other.example.com' }), 'connection_changed'],
    ['another entity id', saml(), saml({ idp_entity_id: 'urn:other' }), 'connection_changed'],
    ['another subject attribute', saml(), saml({ subject_claim: 'mail' }), 'connection_changed'],
    ['a first pairing', oidc(), oidc({}, 'dir_1'), 'pairing_changed'],
    ['another pairing', saml({}, 'dir_1'), saml({}, 'dir_2'), 'pairing_changed'],
    ['the end of a pairing', oidc({}, 'dir_1'), oidc(), null],
  ])('returns what ends when %s changes', (_what, before, after, expected) => {
    expect(bindingEnd(before, after)).toBe(expected);
  });
});
