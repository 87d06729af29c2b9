import { READERS } from './support/untrusted-readers.js';
import { steep } from './support/growth.js';

// One text that takes more than linear time stops the process for every tenant. Each parser of untrusted text is given
// every repeated character at n and at 2n.
describe('time grows at most linearly with the text', () => {
  it.each(Object.keys(READERS))('%s', (name) => {
    const { read, around } = READERS[name]!;
    expect(steep(read, around)).toEqual([]);
  });

  it('finds a quadratic expression', () => {
    expect(steep((text) => text.replace(/ +$/, ''), [['', '']], [' ']).length).toBeGreaterThan(0);
  });
});
