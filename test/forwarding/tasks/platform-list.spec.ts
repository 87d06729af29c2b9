import { totalIn } from '../../../src/forwarding/tasks/platform-list.js';

describe('totalIn', () => {
  const more = { read: 100, isLast: false };

  it.each<[string, unknown, string | undefined, { read: number; isLast: boolean }, number | null]>([
    ['a header', { data: [] }, '250', more, 250],
    ['total', { total: 250 }, undefined, more, 250],
    ['total_count', { total_count: 250 }, undefined, more, 250],
    ['totalResults', { totalResults: 250 }, undefined, more, 250],
    ['count', { count: 250 }, undefined, more, 250],
    ['a count of the page beside a total', { count: 100, total: 250 }, undefined, more, 250],
    ['a count of the page alone', { count: 100 }, undefined, more, null],
    ['a header that is no number', { data: [] }, 'many', more, null],
    ['a number as text', { total: '250' }, undefined, more, null],
    ['less than was read', { total: 99 }, undefined, more, null],
    ['nothing', { data: [] }, undefined, more, null],
    ['a bare list', [], undefined, more, null],
    ['the last page, with any total', { total: 900 }, '900', { read: 137, isLast: true }, 137],
  ])('reads the number of entries: %s', (_, body, header, at, total) => {
    expect(totalIn(body, header, at)).toBe(total);
  });
});
