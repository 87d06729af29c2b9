import { InvalidFields } from '../../../src/base/errors/domain-error.js';
import { queryOptions, querySpan, queryTime } from '../../../src/base/http/query.js';

describe('times in a query', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T00:30:00 02:00', '2026-01-30T22:30:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s is one', (text, time) => expect(queryTime('since', text)?.toISOString()).toBe(time));

  it.each([
    '',
    'yesterday',
    '2026-02-30',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:00:00',
    '0000-01-01',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-14:00',
    '-000001-01-01',
    '+12026-01-01',
  ])('%s is none', (text) => expect(() => queryTime('since', text)).toThrow(InvalidFields));
});

it('refuses a range that ends before it begins, and takes one that is open', () => {
  expect(() => querySpan({ since: '2026-02-01', until: '2026-01-01' })).toThrow(InvalidFields);
  expect(querySpan({ since: '2026-01-01', until: '2026-01-01' }).since).toEqual(new Date('2026-01-01'));
  expect(querySpan({ since: undefined, until: '2026-01-01' }).since).toBeUndefined();
});

describe('options of a query', () => {
  it('are known, come once, and hold no NUL', () => {
    expect(queryOptions({ a: '1' }, ['a', 'b'])).toEqual({ a: '1' });
    expect(() => queryOptions({ c: '1' }, ['a', 'b'])).toThrow(InvalidFields);
    expect(() => queryOptions({ a: 'x\0y' }, ['a', 'b'])).toThrow(InvalidFields);
    expect(() => queryOptions({ a: ['1', '2'] }, ['a', 'b'])).toThrow('more than once');
  });
});
