import { entityIdKey, isOwnAddress } from '../../../src/auth/connections/entity-id.rules.js';

it.each([
  ['https://SP.example.com/Metadata', 'https://sp.example.com/metadata'],
  ['https://sp.example.com//', 'https://sp.example.com'],
  ['urn:example:SP', 'urn:example:sp'],
  ['urn:example:Ä', 'urn:example:Ä'],
])('compares %s as %s', (entityId, key) => {
  expect(entityIdKey(entityId)).toBe(key);
});

it.each([
  ['https://app.example.com/other', true],
  ['http://app.example.com/x', true],
  ['https://APP.example.com./x', true],
  ['https://app.example.com:8443/x', false],
  ['https://other.example.com/x', false],
  ['urn:example:sp', false],
])('knows whether %s is an address of this service: %s', (entityId, expected) => {
  expect(isOwnAddress(entityId, ['https://app.example.com'])).toBe(expected);
});
