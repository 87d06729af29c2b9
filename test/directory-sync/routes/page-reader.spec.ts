import { PageMarks } from '../../../src/directory-sync/routes/page-reader.js';
import { collectGarbage } from '../../support/garbage.js';
import { long } from '../../support/rounds.js';

const at = (id: string) => ({ id });

describe('marks of pages', () => {
  it('continue a walk after its own last row', () => {
    const marks = new PageMarks();
    marks.put(marks.begin('list'), 11, at('j'));
    expect(marks.find('list', 11)?.ends.get(11)).toEqual(at('j'));
    expect(marks.find('list', 21)).toBeUndefined();
    expect(marks.find('other', 11)).toBeUndefined();
  });

  it('of an abandoned walk give way to those of the next one', () => {
    const marks = new PageMarks();
    marks.put(marks.begin('list'), 11, at('t'));
    marks.put(marks.begin('list'), 11, at('j'));
    expect(marks.find('list', 11)?.ends.get(11)).toEqual(at('j'));
  });

  it('of a walk stay its own when another walk begins', () => {
    const marks = new PageMarks();
    const slow = marks.begin('list');
    marks.put(slow, 11, at('j'));
    marks.put(slow, 21, at('t'));
    const quick = marks.begin('list');
    marks.put(quick, 11, at('n'));
    // The slow walk asks for its next page: the quick one is not there yet.
    expect(marks.find('list', 21)).toBe(slow);
    marks.put(slow, 31, at('v'));
    marks.put(quick, 31, at('z'));
    // Both have come to the same place: the page begins at the mark that hides nothing.
    expect(marks.find('list', 31)?.ends.get(31)).toEqual(at('v'));
  });

  it('end after their lifetime, and are bounded', () => {
    let now = 0;
    const marks = new PageMarks(() => now, 1000);
    const walk = marks.begin('list');
    for (let page = 1; page <= 6; page++) marks.put(walk, page * 10 + 1, at(String(page)));
    expect(marks.find('list', 11)).toBeUndefined();
    expect(marks.find('list', 61)).toBe(walk);
    now = 1001;
    expect(marks.find('list', 61)).toBeUndefined();
  });

  long('keep nothing of the page of their row', () => {
    const marks = new PageMarks();
    const page = (n: number) => Buffer.alloc(50_000, `usr_${String(n).padStart(20, '0')} Ada `).toString();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 1000; n++) {
      const text = page(n);
      marks.put(marks.begin(`list ${n}`), 101, { id: text.slice(0, 24), key: text.slice(25, 45) });
    }
    collectGarbage();
    // The pages are 50 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect(marks.find('list 7', 101)?.ends.get(101)).toEqual({
      id: 'usr_00000000000000000007',
      key: 'Ada usr_000000000000',
    });
  });
});
