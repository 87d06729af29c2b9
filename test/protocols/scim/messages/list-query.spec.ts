import { dialectOf, type Profile } from '../../../../src/protocols/scim/dialects/dialects.js';
import { parseFilter } from '../../../../src/protocols/scim/filter/parse.js';
import {
  parseListQuery,
  parseProjectionQuery,
  parseSearchRequest,
  type ListQuery,
  listResponseText,
} from '../../../../src/protocols/scim/messages/list-query.js';
import { SEARCH_REQUEST_URN } from '../../../../src/protocols/scim/urns.js';
import { refusalOf } from '../failure.js';

describe('list query', () => {
  const limits = { defaultCount: 100, maxCount: 1000 };
  const plain: ListQuery = { startIndex: 1, count: 100, sortOrder: 'ascending' };
  const pr = parseFilter('title pr');

  describe('parseListQuery', () => {
    it.each<[string, Record<string, unknown>, ListQuery]>([
      ['nothing', {}, plain],
      ['a filter', { filter: 'title pr' }, { ...plain, filter: pr }],
      ['unknown parameters', { aadOptscim062020: '', x: ['1', '2'] }, plain],
      ['numbers', { startIndex: '11', count: '10' }, { ...plain, startIndex: 11, count: 10 }],
      [
        'below one is one, below nothing is nothing',
        { startIndex: '-3', count: '-3' },
        { ...plain, startIndex: 1, count: 0 },
      ],
      ['sorting by nothing', { sortBy: '', sortOrder: '' }, plain],
      ['zero', { startIndex: '0', count: '0' }, { ...plain, count: 0 }],
      ['more than a page holds', { count: '100000' }, { ...plain, count: 1000 }],
      ['an index beyond all numbers', { startIndex: '9'.repeat(400) }, { ...plain, startIndex: 2_147_483_647 }],
      ['empty numbers', { startIndex: '', count: '' }, plain],
      [
        'sorting',
        { sortBy: 'userName', sortOrder: 'Descending' },
        { ...plain, sortBy: 'userName', sortOrder: 'descending' },
      ],
      [
        'attributes',
        { attributes: 'userName, name.givenName,,' },
        { ...plain, attributes: ['userName', 'name.givenName'] },
      ],
      [
        'excluded attributes',
        { excludedAttributes: 'members', attributes: '' },
        { ...plain, excludedAttributes: ['members'] },
      ],
      ['the first cursor', { cursor: '', count: '2' }, { ...plain, cursor: '', count: 2 }],
      ['a cursor and an index', { cursor: 'abc', startIndex: '5' }, { ...plain, cursor: 'abc', startIndex: 5 }],
    ])('%s', (_, query, expected) => {
      expect(parseListQuery(query, limits)).toEqual(expected);
    });

    it.each<[string, Record<string, unknown>, string]>([
      ['an empty filter', { filter: '' }, 'invalidFilter'],
      ['a broken filter', { filter: 'userName zz "x"' }, 'invalidFilter'],
      ['two filters', { filter: ['a pr', 'b pr'] }, 'invalidValue'],
      ['two counts', { count: ['1', '2'] }, 'invalidValue'],
      ['two cursors', { cursor: ['', ''] }, 'invalidValue'],
      ['two lists of attributes', { attributes: ['a', 'b'] }, 'invalidValue'],
      ['a filter with an index', { filter: { a: 'title pr' } }, 'invalidValue'],
      ['text for startIndex', { startIndex: 'first' }, 'invalidValue'],
      ['a fraction', { count: '1.5' }, 'invalidValue'],
      ['an exponent', { count: '1e2' }, 'invalidValue'],
      ['an unknown order', { sortOrder: 'up' }, 'invalidValue'],
      ['attributes and excludedAttributes', { attributes: 'a', excludedAttributes: 'b' }, 'invalidValue'],
      ['a page no cursor has: too large', { cursor: '', count: '1001' }, 'invalidCount'],
      ['a page no cursor has: negative', { cursor: '', count: '-1' }, 'invalidCount'],
    ])('refuses: %s', (_, query, scimType) => {
      expect(refusalOf(() => parseListQuery(query, limits))).toMatchObject({ status: 400, scimType });
    });

    it('never gives more than the maximum, even by default', () => {
      const small = { defaultCount: 100, maxCount: 20 };
      expect(parseListQuery({}, small).count).toBe(20);
      expect(parseListQuery({ cursor: '' }, small).count).toBe(20);
    });
  });

  describe('parseProjectionQuery', () => {
    it('reads just the two parameters', () => {
      expect(parseProjectionQuery({ attributes: 'a,b', filter: ['x'] })).toEqual({ attributes: ['a', 'b'] });
      expect(parseProjectionQuery({})).toEqual({});
    });
  });

  it.each<[Profile, unknown]>([
    ['tolerant', []],
    ['entra', ['urn:x']],
    ['okta', null],
    ['ipsie', undefined],
  ])('parseSearchRequest accepts a message of the profile %s with the schemas %j', (profile, schemas) => {
    expect(parseSearchRequest({ schemas }, limits, dialectOf(profile))).toEqual(plain);
  });

  describe('parseSearchRequest', () => {
    const schemas = [SEARCH_REQUEST_URN];

    it.each<[string, unknown, ListQuery]>([
      ['the least there is', { schemas }, plain],
      ['no schemas', {}, plain],
      [
        'everything, in any case',
        {
          schemas,
          FILTER: 'title pr',
          startindex: 3,
          Count: 7,
          sortBy: 'title',
          sortOrder: 'descending',
          attributes: ['a', 'b'],
        },
        { filter: pr, startIndex: 3, count: 7, sortBy: 'title', sortOrder: 'descending', attributes: ['a', 'b'] },
      ],
      ['numbers as text', { count: '7' }, { ...plain, count: 7 }],
      ['a cursor', { cursor: '', count: 2 }, { ...plain, cursor: '', count: 2 }],
      ['null is nothing', { filter: null, count: null, attributes: null, cursor: null }, plain],
    ])('%s', (_, body, expected) => {
      expect(parseSearchRequest(body, limits, dialectOf('strict'))).toEqual(expected);
    });

    it.each<[string, unknown, string]>([
      ['no object', [], 'invalidSyntax'],
      ['an empty list of schemas', { schemas: [] }, 'invalidSyntax'],
      ['another message', { schemas: ['urn:x'] }, 'invalidSyntax'],
      ['a filter that is no text', { filter: 1 }, 'invalidValue'],
      ['a broken filter', { filter: 'a zz "b"' }, 'invalidFilter'],
      ['count that is no number', { count: true }, 'invalidValue'],
      ['count with a fraction', { count: 1.5 }, 'invalidValue'],
      ['attributes of another type', { attributes: [1] }, 'invalidValue'],
      ['both kinds of attributes', { attributes: ['a'], excludedAttributes: ['b'] }, 'invalidValue'],
    ])('refuses: %s', (_, body, scimType) => {
      expect(refusalOf(() => parseSearchRequest(body, limits, dialectOf('strict')))).toMatchObject({
        status: 400,
        scimType,
      });
    });
  });
});

describe('list response', () => {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];

  describe('listResponseText', () => {
    it('is a page by index', () => {
      const text = listResponseText({
        totalResults: 7,
        startIndex: 4,
        itemsPerPage: 2,
        resources: ['{"id":"a"}', '{"id":"b"}'],
      });
      expect(JSON.parse(text)).toEqual({
        schemas,
        totalResults: 7,
        startIndex: 4,
        itemsPerPage: 2,
        Resources: [{ id: 'a' }, { id: 'b' }],
      });
    });

    it('has Resources when there are none', () => {
      expect(JSON.parse(listResponseText({ totalResults: 0, startIndex: 1, itemsPerPage: 0, resources: [] }))).toEqual({
        schemas,
        totalResults: 0,
        startIndex: 1,
        itemsPerPage: 0,
        Resources: [],
      });
    });

    it('is a page by cursor', () => {
      expect(
        JSON.parse(listResponseText({ itemsPerPage: 0, resources: [], nextCursor: 'n"', previousCursor: 'p' })),
      ).toEqual({
        schemas,
        itemsPerPage: 0,
        nextCursor: 'n"',
        previousCursor: 'p',
        Resources: [],
      });
    });
  });
});
