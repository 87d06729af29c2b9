import { readCookies, demandSameOrigin } from '../../../src/base/http/cookies.js';

describe('cookies', () => {
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
});

describe('same origin', () => {
  const codeOf = (headers: Record<string, string>, protocol = 'http'): string => {
    try {
      demandSameOrigin({ headers, protocol });
      return 'accepted';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it.each<[string, string, Record<string, string>]>([
    ['a page of this origin', 'accepted', { 'sec-fetch-site': 'same-origin', host: 'bridge.example.com' }],
    ['another site', 'cross_site_request', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the site', 'cross_site_request', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', 'cross_site_request', { 'sec-fetch-site': 'none' }],
    ['a program on this machine', 'cross_site_request', { host: 'localhost:3000' }],
    ['a program on this machine by number', 'cross_site_request', { host: '127.0.0.1:3000' }],
    ['a program on this machine by IPv6', 'cross_site_request', { host: '[::1]:3000' }],
    ['a page of plain http', 'https_needed', { host: 'bridge.example.com' }],
    ['a page of plain http, by its Origin', 'https_needed', { host: 'x', origin: 'http://10.0.0.5:3000' }],
    ['a program over https', 'cross_site_request', { host: 'x', origin: 'https://bridge.example.com' }],
    ['no origin', 'cross_site_request', { origin: 'null' }],
  ])('decides about a request from %s: %s', (_, expected, headers) => expect(codeOf(headers)).toBe(expected));

  it('goes by the protocol where there is no Origin', () => {
    expect(codeOf({ host: 'bridge.example.com' }, 'https')).toBe('cross_site_request');
  });
});
