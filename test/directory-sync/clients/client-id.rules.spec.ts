import { newClientId, tenantOfClient } from '../../../src/directory-sync/clients/client-id.rules.js';

const TENANT = 'ten_01k0000000abcdefghjkmnpqrs';

it('names its tenant', () => {
  const id = newClientId(TENANT);
  expect(id).toMatch(/^cli_01k0000000abcdefghjkmnpqrs_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(tenantOfClient(id)).toBe(TENANT);
});

it.each([
  '',
  'cli_',
  'cli_x_01k0000000abcdefghjkmnpqrs',
  `${newClientId(TENANT)}\0`,
  `${newClientId(TENANT)}0`,
  TENANT,
])('is not read from %j', (text) => expect(tenantOfClient(text)).toBeNull());
