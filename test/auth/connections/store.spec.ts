import { connectionOf } from '../../../src/auth/connections/store.js';
import { head, oidcSettings, samlSettings } from './support/settings.js';

const opened = { clientSecret: 'secret', privateKey: null, metadataAddress: 'https://app.example.com/metadata' };

it('maps an OIDC connection with its opened secret', () => {
  const found = connectionOf({ ...head, type: 'oidc', settings: oidcSettings }, opened);
  expect(found).toMatchObject({
    type: 'oidc',
    tenantId: 'ten_1',
    clientId: 'client-1',
    clientSecret: 'secret',
    emailTrust: 'domain',
  });
});

it('reads settings that older versions did not write', () => {
  const { discovery_url: _, ...older } = oidcSettings;
  expect(connectionOf({ ...head, type: 'oidc', settings: older }, opened)).toMatchObject({ discoveryUrl: null });
  expect(connectionOf({ ...head, type: 'saml', settings: samlSettings }, opened)).toMatchObject({ subjectClaim: null });
});

it('takes the address of the metadata as the entity id unless one is set', () => {
  const saml = (sp_entity_id: string | null) =>
    connectionOf({ ...head, type: 'saml', settings: { ...samlSettings, sp_entity_id } }, opened);
  expect(saml(null)).toMatchObject({ spEntityId: opened.metadataAddress });
  expect(saml('urn:sp')).toMatchObject({ spEntityId: 'urn:sp' });
});

it('keeps the order of roles and the texts of certificates', () => {
  const settings = {
    ...samlSettings,
    role_map: [
      ['b', 'Admin'],
      ['a', 'User'],
    ] as [string, string][],
    certificates: [{ pem: 'PEM', added_at: '2030-01-01T00:00:00Z' }],
  };
  const found = connectionOf({ ...head, type: 'saml', settings }, opened);
  expect(found).toMatchObject({
    roleMap: [
      ['b', 'Admin'],
      ['a', 'User'],
    ],
    certificates: ['PEM'],
  });
});
