import { SLUG, slugFrom, entityIdKey, isOwnAddress } from '../../../src/auth/connections/names.rules.js';

describe('slug', () => {
  const random = Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7]);

  it.each([
    ['Acme Okta', 'acme-okta-abcdefgh'],
    ['Müller & Söhne', 'muller-sohne-abcdefgh'],
    ['  --  ', 'abcdefgh'],
    ['日本', 'abcdefgh'],
    ['x'.repeat(300), `${'x'.repeat(40)}-abcdefgh`],
  ])('makes a slug of %s', (name, slug) => {
    expect(slugFrom(name, random)).toBe(slug);
    expect(slug).toMatch(SLUG);
  });

  it.each(['ab', 'Acme', 'a/b', 'a'.repeat(64), ''])('refuses %s as a slug', (text) => {
    expect(text).not.toMatch(SLUG);
  });
});

describe('entity id', () => {
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
});
