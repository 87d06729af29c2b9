import { tenantNameProblem, helpUrlProblem } from '../../../src/tenancy/tenants/tenant.rules.js';

describe('tenant name', () => {
  it.each([
    'Example Ltd.',
    'Überland GmbH & Co. KG',
    'Яндекс',
    '東京タワー Inc.',
    '삼성 Electronics',
    'Ελλάδα 24',
    '24/7',
    '㈜삼성',
    'Acme™ © 2026',
    'Verified Systems Inc.',
    'Bridge Talent',
  ])('takes %s', (name) => expect(tenantNameProblem(name)).toBeNull());

  it.each([
    ['a Cyrillic letter among Latin ones', 'V\u0456ctim Ltd'],
    ['a Greek letter among Latin ones', 'Victim Ltd \u0391'],
    ['a zero-width blank', 'Victim\u200b Ltd'],
    ['a change of direction', '\u202edtL mitciV'],
    ['a tick', 'Victim Ltd \u2713'],
    ['a tick as an emoji', 'Victim Ltd \u2705'],
    ['a shield', 'Victim Ltd \u{1f6e1}\ufe0f'],
    ['the square root, which looks like a tick', 'Victim Ltd \u221a'],
    ['words of approval', 'Victim Ltd, verified by Example'],
    ['words of approval in other spellings', 'Victim Ltd (V\u00e9rified-BY: x)'],
    ['words of approval with digits', 'Victim Ltd ver1f1ed by x'],
    ['wide words of approval', 'Victim \uff36\uff45\uff52\uff49\uff46\uff49\uff45\uff44 by x'],
    ['the name of this service', 'Victim Ltd at Talent Bridge'],
    ['the name of this service in one word', 'TALENT\u2011BR1DGE support'],
  ])('refuses %s', (_, name) => expect(tenantNameProblem(name)).toMatch(/^must not/));
});

describe('help url', () => {
  it.each(['https://help.example.com/sign-in', 'mailto:it@example.com'])('takes %s', (url) => {
    expect(helpUrlProblem(url)).toBeNull();
  });

  it.each([
    'http://help.example.com',
    'javascript:alert(1)',
    'mailto:nothing',
    'https://user:secret@help.example.com',
    `https://help.example.com/${'a'.repeat(2_048)}`,
    'help',
    7,
  ])('refuses %s', (url) => {
    expect(helpUrlProblem(url)).toMatch(/^must /);
  });
});
