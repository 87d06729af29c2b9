import { SLUG, slugFrom } from '../../../src/auth/connections/slug.rules.js';

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
