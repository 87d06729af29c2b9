import {
  bulkReferences,
  substituteBulkIds,
  withoutReferences,
} from '../../../../src/protocols/scim/messages/bulk-references.js';
import { frozen } from '../cases.js';

const ids = new Map([
  ['a', 'ID-A'],
  ['b c', 'ID-B'],
]);

describe('bulkReferences', () => {
  it.each<[unknown, string[]]>([
    ['bulkId:a', ['a']],
    ['/Users/bulkId:a', ['a']],
    ['https://x/Users/bulkId:b c', ['b c']],
    ['members[value eq "bulkId:a" or value eq "bulkId:b c"]', ['a', 'b c']],
    ['see bulkId:a', []],
    ['bulkid:a', []],
    [{ members: [{ value: 'bulkId:a', $ref: '../Users/bulkId:a' }, { value: 'x' }], n: 1, none: null }, ['a']],
    [{ 'bulkId:key': 1 }, []],
    [{ title: 'bulkId:a', displayName: 'bulkId:b c', emails: [{ value: 'bulkId:a' }] }, []],
    [{ members: [{ value: 'x', display: 'bulkId:a' }] }, []],
    [{ members: ['bulkId:a'], MANAGER: 'bulkId:b c' }, ['a', 'b c']],
    [{ 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: { value: 'bulkId:a' } } }, ['a']],
    [{ 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value': 'bulkId:a' }, ['a']],
    [{ Operations: [{ op: 'add', path: 'members', value: [{ value: 'bulkId:a' }] }] }, ['a']],
    [{ Operations: [{ op: 'add', value: { members: [{ value: 'bulkId:a' }], displayName: 'bulkId:b c' } }] }, ['a']],
    [{ Operations: [{ op: 'remove', path: 'members[value eq "bulkId:a"]' }] }, ['a']],
    [{ Operations: [{ op: 'add', path: 'manager', value: 'bulkId:a' }] }, ['a']],
    [{ Operations: [{ op: 'replace', path: 'title', value: 'bulkId:a' }] }, []],
    [{ Operations: [{ op: 'remove', path: 'emails[value eq "bulkId:a"]' }] }, []],
  ])('%j', (data, expected) => {
    expect([...bulkReferences(data)]).toEqual(expected);
  });
});

describe('substituteBulkIds', () => {
  it.each<[unknown, unknown]>([
    ['bulkId:a', 'ID-A'],
    ['bulkId:unknown', 'bulkId:unknown'],
    ['/Users/bulkId:a', '/Users/ID-A'],
    ['members[value eq "bulkId:a" or value eq "bulkId:b c"]', 'members[value eq "ID-A" or value eq "ID-B"]'],
    ['see bulkId:a', 'see bulkId:a'],
    [
      { members: [{ value: 'bulkId:a', type: 'User' }, 7, null] },
      { members: [{ value: 'ID-A', type: 'User' }, 7, null] },
    ],
    [{ title: 'bulkId:a' }, { title: 'bulkId:a' }],
  ])('%j', (data, expected) => {
    expect(substituteBulkIds(frozen(data), ids)).toEqual(expected);
  });

  it('returns data without references unchanged', () => {
    const data = { members: [{ value: 'x' }] };
    expect(substituteBulkIds(data, ids)).toBe(data);
  });

  it('keeps __proto__ a key, to be refused later', () => {
    const data = JSON.parse('{"__proto__":{"x":1},"manager":"bulkId:a"}') as object;
    expect(JSON.stringify(substituteBulkIds(data, ids))).toBe('{"__proto__":{"x":1},"manager":"ID-A"}');
  });
});

describe('withoutReferences', () => {
  const unresolved = new Set(['a']);

  it.each<[unknown, unknown]>([
    [
      { displayName: 'G', members: [{ value: 'bulkId:a', type: 'User' }, { value: 'x' }] },
      { displayName: 'G', members: [{ value: 'x' }] },
    ],
    [
      { displayName: 'G', members: [{ value: 'bulkId:b' }] },
      { displayName: 'G', members: [{ value: 'bulkId:b' }] },
    ],
    [
      { userName: 'u', 'urn:x': { department: 'D', manager: { value: 'bulkId:a' } } },
      { userName: 'u', 'urn:x': { department: 'D' } },
    ],
    [{ members: ['bulkId:a', 'x'] }, { members: ['x'] }],
    [{ Operations: [{ op: 'add', path: 'manager', value: 'bulkId:a' }] }, { Operations: [] }],
    [
      { Operations: [{ op: 'add', path: 'title', value: 'bulkId:a' }] },
      { Operations: [{ op: 'add', path: 'title', value: 'bulkId:a' }] },
    ],
  ])('%j', (data, expected) => {
    expect(withoutReferences(frozen(data), unresolved)).toEqual(expected);
  });

  it('returns the data unchanged when nothing is missing', () => {
    const data = { members: [{ value: 'bulkId:a' }] };
    expect(withoutReferences(data, new Set())).toBe(data);
  });
});
