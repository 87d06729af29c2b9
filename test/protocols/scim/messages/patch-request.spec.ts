import { dialectOf, type Profile } from '../../../../src/protocols/scim/dialects/dialects.js';
import { parsePatchRequest } from '../../../../src/protocols/scim/messages/patch-request.js';
import { PATCH_OP_URN } from '../../../../src/protocols/scim/urns.js';
import { refusalOf } from '../failure.js';

const schemas = [PATCH_OP_URN];
const op = { op: 'replace', path: 'title', value: 'x' };
const parse = (body: unknown, profile: Profile = 'tolerant'): unknown => parsePatchRequest(body, dialectOf(profile));

describe('parsePatchRequest', () => {
  it.each<[string, unknown, Profile, unknown[]]>([
    ['as the RFC has it', { schemas, Operations: [op] }, 'strict', [op]],
    [
      'member names in any case',
      { SCHEMAS: schemas, operations: [{ OP: 'add', Path: 'a', VALUE: 1 }] },
      'strict',
      [{ op: 'add', path: 'a', value: 1 }],
    ],
    ['the URN in any case', { schemas: [PATCH_OP_URN.toUpperCase()], Operations: [op] }, 'strict', [op]],
    ['Operations before schemas', { Operations: [op], schemas }, 'strict', [op]],
    [
      'op in any case',
      {
        schemas,
        Operations: [
          { ...op, op: 'Replace' },
          { op: 'REMOVE', path: 'a' },
        ],
      },
      'entra',
      [op, { op: 'remove', path: 'a' }],
    ],
    ['no schemas', { Operations: [op] }, 'tolerant', [op]],
    ['schemas of null', { schemas: null, Operations: [op] }, 'entra', [op]],
    ['an empty list of schemas', { schemas: [], Operations: [op] }, 'entra', [op]],
    [
      'a URN that circulates',
      { schemas: ['urn:ietf:params:scim:schemas:core:2.0:PatchOp'], Operations: [op] },
      'okta',
      [op],
    ],
    ['schemas as text', { schemas: PATCH_OP_URN, Operations: [op] }, 'tolerant', [op]],
    [
      'no path',
      { schemas, Operations: [{ op: 'add', value: { title: 'x' } }] },
      'okta',
      [{ op: 'add', value: { title: 'x' } }],
    ],
    [
      'a path that is null or empty is none',
      {
        Operations: [
          { op: 'add', path: null, value: {} },
          { op: 'add', path: '', value: {} },
        ],
      },
      'tolerant',
      [
        { op: 'add', value: {} },
        { op: 'add', value: {} },
      ],
    ],
    [
      'a value of null is a value',
      { Operations: [{ op: 'replace', path: 'a', value: null }] },
      'tolerant',
      [{ op: 'replace', path: 'a', value: null }],
    ],
  ])('%s', (_, body, profile, expected) => {
    expect(parse(body, profile)).toEqual(expected);
  });

  it.each<[string, unknown, Profile, string]>([
    ['no object', [], 'tolerant', 'invalidSyntax'],
    ['null', null, 'tolerant', 'invalidSyntax'],
    ['no Operations', { schemas }, 'tolerant', 'invalidSyntax'],
    ['Operations that are no list', { schemas, Operations: op }, 'tolerant', 'invalidSyntax'],
    ['no operation in them', { schemas, Operations: [] }, 'tolerant', 'invalidValue'],
    ['an operation that is none', { schemas, Operations: ['add'] }, 'tolerant', 'invalidSyntax'],
    ['no op', { schemas, Operations: [{ path: 'a', value: 1 }] }, 'tolerant', 'invalidSyntax'],
    ['an unknown op', { schemas, Operations: [{ ...op, op: 'move' }] }, 'tolerant', 'invalidSyntax'],
    ['op of another type', { schemas, Operations: [{ ...op, op: ['add'] }] }, 'tolerant', 'invalidSyntax'],
    ['op in capitals, strictly', { schemas, Operations: [{ ...op, op: 'Replace' }] }, 'strict', 'invalidSyntax'],
    ['path that is no text', { schemas, Operations: [{ ...op, path: 1 }] }, 'tolerant', 'invalidSyntax'],
    ['add without a value', { schemas, Operations: [{ op: 'add', path: 'a' }] }, 'tolerant', 'invalidValue'],
    ['remove without a path', { schemas, Operations: [{ op: 'remove', value: {} }] }, 'tolerant', 'noTarget'],
    ['no path, strictly', { schemas, Operations: [{ op: 'add', value: {} }] }, 'ipsie', 'invalidPath'],
    ['no schemas, strictly', { Operations: [op] }, 'strict', 'invalidSyntax'],
    ['an empty list of schemas, strictly', { schemas: [], Operations: [op] }, 'strict', 'invalidSyntax'],
    ['other schemas, strictly', { schemas: ['urn:x'], Operations: [op] }, 'ipsie', 'invalidSyntax'],
  ])('refuses: %s', (_, body, profile, scimType) => {
    expect(refusalOf(() => parse(body, profile))).toMatchObject({ status: 400, scimType });
  });

  it('accepts at most a thousand operations', () => {
    const operations = Array<unknown>(1000).fill(op);
    expect(parse({ schemas, Operations: operations })).toHaveLength(1000);
    const refusal = refusalOf(() => parse({ schemas, Operations: [...operations, op] }));
    expect(refusal.status).toBe(413);
    expect(refusal.detail).toContain('1000');
  });
});
