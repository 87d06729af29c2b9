import { dialectOf, type Profile } from '../../../../src/protocols/scim/dialects/dialects.js';
import { parseBulkRequest, type BulkRequest } from '../../../../src/protocols/scim/messages/bulk-request.js';
import { BULK_REQUEST_URN } from '../../../../src/protocols/scim/urns.js';
import { refusalOf } from '../failure.js';

const STRICT = dialectOf('strict');
const schemas = [BULK_REQUEST_URN];
const data = { userName: 'u' };
const parse = (...Operations: unknown[]): BulkRequest =>
  parseBulkRequest({ schemas, Operations }, { maxOperations: 5 }, STRICT);

describe('parseBulkRequest', () => {
  it('reads the four methods', () => {
    const { operations, failOnErrors } = parse(
      { method: 'POST', path: '/Users', bulkId: 'q', data },
      { method: 'put', path: 'Users/a%20b', data, version: 'W/"1"' },
      { METHOD: 'PATCH', Path: '/Groups/bulkId:q', data },
      { method: 'DELETE', path: '/Users/c' },
    );
    expect(failOnErrors).toBeUndefined();
    expect(operations.map(({ method, type, id, refusal }) => [method, type?.name, id, refusal])).toEqual([
      ['POST', 'User', null, null],
      ['PUT', 'User', 'a b', null],
      ['PATCH', 'Group', 'bulkId:q', null],
      ['DELETE', 'User', 'c', null],
    ]);
    expect(operations[0]).toMatchObject({ index: 0, bulkId: 'q', data });
    expect(operations[1]).toMatchObject({ index: 1, version: 'W/"1"', path: 'Users/a%20b' });
  });

  it.each<[string, unknown, number]>([
    ['an unknown endpoint', { method: 'POST', path: '/Things', bulkId: 'q', data }, 404],
    ['bulk within bulk', { method: 'POST', path: '/Bulk', bulkId: 'q', data }, 404],
    ['too deep a path', { method: 'DELETE', path: '/Users/a/b' }, 404],
    ['a POST with an id', { method: 'POST', path: '/Users/a', bulkId: 'q', data }, 400],
    ['a POST without a bulkId', { method: 'POST', path: '/Users', data }, 400],
    ['a PUT without an id', { method: 'PUT', path: '/Users/', data }, 400],
    ['a DELETE without an id', { method: 'DELETE', path: '/Users' }, 400],
    ['a PUT without data', { method: 'PUT', path: '/Users/a' }, 400],
    ['a PATCH with data that is no object', { method: 'PATCH', path: '/Users/a', data: [] }, 400],
    [
      'data too deep',
      { method: 'PUT', path: '/Users/a', data: JSON.parse('{"a":'.repeat(50) + '1' + '}'.repeat(50)) },
      400,
    ],
    ['__proto__ in the data', { method: 'PUT', path: '/Users/a', data: JSON.parse('{"__proto__":{}}') }, 400],
  ])('makes this fault the result of its operation alone: %s', (_, operation, status) => {
    const { operations } = parse(operation, { method: 'DELETE', path: '/Users/c' });
    expect(operations.map((each) => each.refusal?.status ?? null)).toEqual([status, null]);
  });

  it.each<[string, unknown, string | undefined]>([
    ['no object', 'x', 'invalidSyntax'],
    [
      'an empty list of schemas',
      { schemas: [], Operations: [{ method: 'DELETE', path: '/Users/a' }] },
      'invalidSyntax',
    ],
    ['another message', { schemas: ['urn:x'], Operations: [{ method: 'DELETE', path: '/Users/a' }] }, 'invalidSyntax'],
    ['no Operations', { schemas }, 'invalidSyntax'],
    ['none in them', { schemas, Operations: [] }, 'invalidValue'],
    ['an operation that is none', { schemas, Operations: [null] }, 'invalidSyntax'],
    ['an unknown method', { schemas, Operations: [{ method: 'GET', path: '/Users/a' }] }, 'invalidSyntax'],
    ['no path', { schemas, Operations: [{ method: 'DELETE' }] }, 'invalidSyntax'],
    [
      'a bulkId twice',
      { schemas, Operations: Array(2).fill({ method: 'POST', path: '/Users', bulkId: 'q', data }) },
      'invalidValue',
    ],
    [
      'failOnErrors of 0',
      { schemas, failOnErrors: 0, Operations: [{ method: 'DELETE', path: '/Users/a' }] },
      'invalidValue',
    ],
    [
      'failOnErrors as text',
      { schemas, failOnErrors: '1', Operations: [{ method: 'DELETE', path: '/Users/a' }] },
      'invalidValue',
    ],
  ])('refuses: %s', (_, body, scimType) => {
    expect(refusalOf(() => parseBulkRequest(body, { maxOperations: 5 }, STRICT))).toMatchObject({
      status: 400,
      scimType,
    });
  });

  it('only a POST defines a bulkId', () => {
    const operation = { path: '/Users/a', bulkId: 'q', data };
    const post = { method: 'POST', path: '/Users', bulkId: 'q', data };
    expect(parse({ ...operation, method: 'PUT' }, { ...operation, method: 'PATCH' }, post).operations).toHaveLength(3);
  });

  it.each<[Profile, unknown]>([
    ['tolerant', []],
    ['entra', ['urn:x']],
    ['okta', undefined],
    ['strict', undefined],
  ])('accepts a message of the profile %s with the schemas %j', (profile, schemas) => {
    const body = { schemas, Operations: [{ method: 'DELETE', path: '/Users/a' }] };
    expect(parseBulkRequest(body, { maxOperations: 1 }, dialectOf(profile)).operations).toHaveLength(1);
  });

  it('reads failOnErrors', () => {
    const body = { schemas, failonerrors: 2, Operations: [{ method: 'DELETE', path: '/Users/a' }] };
    expect(parseBulkRequest(body, { maxOperations: 1 }, STRICT).failOnErrors).toBe(2);
  });

  it('names the limit when there are too many operations', () => {
    const refusal = refusalOf(() => parse(...Array<unknown>(6).fill({ method: 'DELETE', path: '/Users/a' })));
    expect(refusal.status).toBe(413);
    expect(refusal.detail).toMatch(/5.*maxOperations/);
  });
});
