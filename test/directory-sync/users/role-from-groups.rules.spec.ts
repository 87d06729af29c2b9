import { roleNames, roleOf } from '../../../src/directory-sync/users/role-from-groups.rules.js';

const KNOWN = new Set(['User', 'Admin', 'Observer']);

describe('the role of a person', () => {
  it.each<[string, string[], string[], string | null, string | null]>([
    ['SCIM roles come first', ['Admin'], ['Observer'], 'User', 'Admin'],
    ['the first of them that is known', ['Boss', 'Observer', 'Admin'], [], 'User', 'Observer'],
    ['unknown ones are as good as none', ['Boss'], ['Observer'], 'User', 'Observer'],
    ['then the rules, in their order', [], ['Observer', 'Admin'], 'User', 'Observer'],
    ['a role that has left the catalogue gives nothing', [], ['Gone', 'Admin'], 'User', 'Admin'],
    ['then the default', [], [], 'User', 'User'],
    ['which may be none yet', [], [], null, null],
    ['names are exact', ['admin'], [], null, null],
  ])('%s', (_, roles, fromRules, defaultRole, expected) => {
    expect(roleOf({ roles, fromRules, defaultRole }, KNOWN)).toBe(expected);
  });
});

describe('the names in SCIM roles', () => {
  it.each<[string, { value?: unknown; primary?: unknown }[] | undefined, string[]]>([
    ['none', undefined, []],
    ['in the order sent', [{ value: 'A' }, { value: 'B' }], ['A', 'B']],
    ['the primary one first', [{ value: 'A' }, { value: 'B', primary: true }, { value: 'C' }], ['B', 'A', 'C']],
    ['primary is true or it is not', [{ value: 'A' }, { value: 'B', primary: 'yes' }], ['A', 'B']],
    [
      'JSON in a text, as Entra sends it',
      [{ value: '{"id":"1","value":"Admin","displayName":"Administrator"}' }],
      ['Admin'],
    ],
    ['JSON without a value', [{ value: '{"id":"1"}' }], []],
    ['a brace that begins no JSON', [{ value: '{Admin' }], ['{Admin']],
    ['what is no text', [{ value: 7 }, {}, { value: null }], []],
  ])('%s', (_, roles, expected) => {
    expect(roleNames(roles)).toEqual(expected);
  });
});
