import { demandSame, externalIdIn } from '../../../src/base/http/fields.js';
import { InvalidFields } from '../../../src/base/errors/domain-error.js';

it.each([
  ['gh_1', 'gh_1'],
  ['  a/b  ', 'a/b'],
  ['Zoe\u0308', 'Zoë'],
  ['🦊'.repeat(255), '🦊'.repeat(255)],
])('reads %j', (address, expected) => {
  expect(externalIdIn(address)).toBe(expected);
});

it.each(['', ' ', 'a\u0000', 'x'.repeat(256)])('refuses %j', (address) => {
  expect(() => externalIdIn(address)).toThrow(InvalidFields);
});

it('accepts the id of the address, null, and no id', () => {
  for (const sent of ['a', null, undefined]) expect(() => demandSame(sent, 'a')).not.toThrow();
  expect(() => demandSame('A', 'a')).toThrow(InvalidFields);
});
