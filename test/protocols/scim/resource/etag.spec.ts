import { etagOf, matchesIfMatch, matchesIfNoneMatch } from '../../../../src/protocols/scim/resource/etag.js';

const current = etagOf(3);

it('makes a weak tag', () => {
  expect(current).toBe('W/"3"');
});

describe('If-Match and If-None-Match (RFC 9110 §13.1)', () => {
  it.each([
    ['W/"3"', true],
    ['"3"', true],
    ['*', true],
    [' * ', true],
    ['W/"1", W/"3"', true],
    ['"1","2","3"', true],
    ['W/"2"', false],
    ['W/"33"', false],
    ['"1", "2"', false],
    ['3', false],
    ['', false],
    ['"', false],
    ['"a,b"', false],
    ['", "3', false],
    ['W/"3', false],
  ])('%s', (header, named) => {
    expect(matchesIfMatch(header, current)).toBe(named);
    expect(matchesIfNoneMatch(header, current)).toBe(named);
  });

  it('accept every version without a header', () => {
    expect(matchesIfMatch(undefined, current)).toBe(true);
    expect(matchesIfNoneMatch(undefined, current)).toBe(false);
  });
});
