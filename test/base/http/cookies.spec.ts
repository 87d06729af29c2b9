import { readCookies } from '../../../src/base/http/cookies.js';

describe('cookies', () => {
  it('are read by the first one of a name, without blanks between', () => {
    const read = readCookies('a=1;  b=2 ; a=3; c = x=y ;; =none; d');
    expect([...read]).toEqual([['a', '1'], ['b', '2'], ['c', 'x=y']]); // prettier-ignore
    expect(readCookies(undefined).size).toBe(0);
  });

  // A browser keeps these names apart, and lets a neighbouring host set all but the plain one.
  it.each(['\u00a0', '\t', '\u000b', '\u000c', '\u0085', '\ufeff', '\u00ef\u00bb\u00bf', '\u2003', '"', 'ä'])(
    'are not read by a name that only looks like ours: %j',
    (before) => {
      const read = readCookies(`${before}__Host-session=evil; __Host-session=good; __Host-other${before}=evil`);
      expect([...read]).toEqual([['__Host-session', 'good']]);
    },
  );
});
