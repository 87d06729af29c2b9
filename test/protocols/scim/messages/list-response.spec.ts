import { listResponseText } from '../../../../src/protocols/scim/messages/list-response.js';

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
