import { clean, platformNames, type NameParts } from '../../../src/tenancy/identity/names.rules.js';

const cases: [string, NameParts, string | null, string, [string, string]][] = [
  [
    'given and family name',
    { givenName: 'Barbara', familyName: 'Jensen', formatted: 'x y' },
    null,
    'u',
    ['Barbara', 'Jensen'],
  ],
  ['a given name alone', { givenName: 'Barbara' }, null, 'u', ['Barbara', '']],
  ['a family name alone is one word', { familyName: 'Jensen' }, null, 'u', ['Jensen', '']],
  ['a blank family name, as authentik sends', { givenName: 'Barbara', familyName: ' ' }, null, 'u', ['Barbara', '']],
  [
    'given and family of several words',
    { givenName: 'Ana María', familyName: 'de la Cruz' },
    null,
    'u',
    ['Ana María', 'de la Cruz'],
  ],
  ['formatted', { formatted: 'Barbara J Jensen' }, null, 'u', ['Barbara', 'J Jensen']],
  [
    'formatted before displayName',
    { formatted: 'Barbara Jensen', displayName: 'Babs' },
    null,
    'u',
    ['Barbara', 'Jensen'],
  ],
  ['formatted with a comma', { formatted: 'Jensen, Barbara' }, null, 'u', ['Barbara', 'Jensen']],
  ['a suffix is no first name', { formatted: 'Barbara Jensen, PhD' }, null, 'u', ['Barbara', 'Jensen, PhD']],
  ['two commas are no last name first', { formatted: 'a, b, c' }, null, 'u', ['a,', 'b, c']],
  ['blanks of every kind', { formatted: '  Barbara \t  Jensen  ' }, null, 'u', ['Barbara', 'Jensen']],
  ['displayName', { displayName: 'Barbara Jensen' }, null, 'u', ['Barbara', 'Jensen']],
  ['displayName of one word', { displayName: 'Babs' }, null, 'u', ['Babs', '']],
  ['one word of another writing', { displayName: '李小龍' }, null, 'u', ['李小龍', '']],
  ['the e-mail’s local part', {}, 'barbara.jensen@x.example', 'u', ['Barbara', 'Jensen']],
  ['of three words', {}, 'ana-maria_cruz+x@x.example', 'u', ['Ana', 'Maria Cruz X']],
  ['of one word', {}, 'bjensen@x.example', 'u', ['Bjensen', '']],
  ['the user name, where there is no e-mail', {}, null, 'barbara.jensen@corp', ['Barbara', 'Jensen']],
  ['the user name that is no address', {}, null, 'bjensen', ['Bjensen', '']],
  ['a user name of dots alone', {}, null, '...', ['...', '']],
  [
    'control characters are blanks',
    { givenName: 'Bar\u0000bara\n', familyName: '\u0007' },
    null,
    'u',
    ['Bar bara', ''],
  ],
];

describe('first and last name', () => {
  it.each(cases)('%s', (_, parts, email, userName, expected) => {
    const { first_name: first, last_name: last } = platformNames(parts, email, userName);
    expect([first, last]).toEqual(expected);
  });
});

describe('the form of a name for the platform', () => {
  it.each([
    ['composed', 'Zoe\u0308', 'Zoë'],
    ['trimmed', '  a  ', 'a'],
    ['not longer than 200', 'x'.repeat(300), 'x'.repeat(200)],
    ['counted in characters, not in halves of them', '🦊'.repeat(201), '🦊'.repeat(200)],
    ['nothing', undefined, ''],
  ])('%s', (_, text, expected) => {
    const name = clean(text);
    expect([...name].length).toBeLessThanOrEqual(200);
    // isWellFormed is part of Node 20, and not yet of the ES2023 library.
    expect((name as unknown as { isWellFormed(): boolean }).isWellFormed()).toBe(true);
    expect(name).toBe(expected);
  });
});
