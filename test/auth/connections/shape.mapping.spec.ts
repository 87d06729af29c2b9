import type { Config } from '../../../src/base/config/config.js';
import { AuthAddresses } from '../../../src/auth/connections/addresses.js';
import { connectionShape, offeredLogout } from '../../../src/auth/connections/shape.mapping.js';
import type { ConnectionRow } from '../../../src/auth/connections/repository.js';
import type { OidcServer } from '../../../src/protocols/oidc/discovery.rules.js';
import { head, oidcSettings, samlSettings } from './support/settings.js';

const addresses = new AuthAddresses({ appUrl: 'https://app.example.com' } as Config);
const upkeep = {
  client_secret_sealed: 'sealed',
  private_key_sealed: null,
  metadata_checked_at: new Date(0),
  metadata_problem: null,
  created_at: new Date(0),
  updated_at: new Date(0),
};
const oidc: ConnectionRow = { ...head, ...upkeep, type: 'oidc', settings: oidcSettings };
const saml: ConnectionRow = { ...head, ...upkeep, type: 'saml', settings: samlSettings };

it('never shows a secret', () => {
  const shown = connectionShape(oidc, addresses);
  expect(JSON.stringify(shown)).not.toContain('sealed"');
  expect(shown).toMatchObject({ client_secret_set: true, private_key_set: false });
});

it('shows the addresses for the administrator of the IdP', () => {
  expect(connectionShape(oidc, addresses)).toMatchObject({
    callback_url: 'https://app.example.com/api/auth/callback/acme',
    login_url: 'https://app.example.com/api/auth/login?connection=acme',
    client_keys_url: null,
  });
  const withKey = { ...oidc, settings: { ...oidcSettings, token_auth: 'private_key_jwt' } } as ConnectionRow;
  expect(connectionShape(withKey, addresses)).toMatchObject({
    client_keys_url: 'https://app.example.com/api/auth/jwks/acme',
  });
});

it('shows the entity id in use, and no look at metadata that is not read', () => {
  expect(connectionShape(saml, addresses)).toMatchObject({
    entity_id: 'https://app.example.com/api/auth/metadata/acme',
    metadata_checked_at: null,
    email_trust: 'domain',
  });
});

it('shows the announced logout', () => {
  const logout = { backChannel: true, frontChannel: false, frontChannelSession: false };
  const server = { endSessionEndpoint: null, logout } as OidcServer;
  expect(offeredLogout(server)).toEqual({
    rp_initiated: false,
    back_channel: true,
    front_channel: false,
    front_channel_session: false,
  });
});
