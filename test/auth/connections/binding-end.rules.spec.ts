import { bindingEnd } from '../../../src/auth/connections/binding-end.rules.js';
import { oidcSettings, samlSettings } from './support/settings.js';

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
