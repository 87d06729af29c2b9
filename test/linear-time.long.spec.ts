import { READERS } from './support/untrusted-readers.js';
import { steep, steepest } from './support/growth.js';
import { PARTS } from './support/many-parts.js';

// One text that takes more than linear time stops the process for every tenant. Each parser of untrusted text is given
// every repeated character, a quarter of the text and the whole.
describe('time grows at most linearly with the text', () => {
  it.each(Object.keys(READERS))('%s', (name) => {
    const { read, around } = READERS[name]!;
    expect(steep(read, around)).toEqual([]);
  });

  it.each(Object.keys(PARTS))('%s', (name) => {
    expect(steepest(PARTS[name]!)).toBeNull();
  });

  it('finds a quadratic expression', () => {
    expect(steep((text) => text.replace(/ +$/, ''), [['', '']], [' ']).length).toBeGreaterThan(0);
  });
});
