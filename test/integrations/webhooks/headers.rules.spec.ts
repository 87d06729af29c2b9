import { headersOf, headersProblem, withoutHeaders } from '../../../src/integrations/webhooks/headers.rules.js';

it.each<[unknown, string | null]>([
  [{}, null],
  [{ Authorization: 'Bearer x', 'X-Team': 'hr' }, null],
  [{ 'x-empty': '' }, null],
  [null, 'must be an object'],
  [[], 'must be an object'],
  ['x', 'must be an object'],
  [{ Host: 'x' }, 'must not set host'],
  [{ 'Content-Length': '1' }, 'must not set content-length'],
  [{ 'content-encoding': 'gzip' }, 'must not set content-encoding'],
  [{ 'Transfer-Encoding': 'chunked' }, 'must not set transfer-encoding'],
  [{ connection: 'close' }, 'must not set connection'],
  [{ 'keep-alive': 'x' }, 'must not set keep-alive'],
  [{ upgrade: 'h2c' }, 'must not set upgrade'],
  [{ te: 'trailers' }, 'must not set te'],
  [{ trailer: 'x' }, 'must not set trailer'],
  [{ expect: '100-continue' }, 'must not set expect'],
  [{ 'proxy-authorization': 'x' }, 'must not set proxy-authorization'],
  [{ 'WEBHOOK-Signature': 'v1,x' }, 'must not set webhook-signature'],
  [{ 'webhook-anything': 'x' }, 'must not set webhook-anything'],
  [{ 'accept-encoding': 'gzip' }, 'must not set accept-encoding'],
  [{ 'user-agent': 'x' }, 'must not set user-agent'],
  [{ cookie: 'a=b' }, 'must not set cookie'],
  [JSON.parse('{"__proto__": "x"}'), 'must not set __proto__'],
  [{ 'x a': 'b' }, 'must have names'],
  [{ 'x:': 'b' }, 'must have names'],
  [{ '': 'b' }, 'must have names'],
  [{ ['x'.repeat(101)]: 'b' }, 'must have names'],
  [{ 'x-a': 'a\r\nb: c' }, 'must have visible ASCII text'],
  [{ 'x-a': 'a\0' }, 'must have visible ASCII text'],
  [{ 'x-a': 'é' }, 'must have visible ASCII text'],
  [{ 'x-a': 1 }, 'must have visible ASCII text'],
  [{ 'x-a': 'a', 'X-A': 'b' }, 'must name x-a once'],
  [Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`x-${i}`, 'a'])), 'must have at most 10 headers'],
  [{ 'x-a': 'a'.repeat(4_096) }, 'must have at most 4096 bytes'],
])('%j: %p', (value, problem) => {
  if (problem === null) expect(headersProblem(value)).toBeNull();
  else expect(headersProblem(value)).toContain(problem);
});

it('keeps names in lower case, and values without blanks around them', () => {
  expect(headersOf({ 'X-Team': ' hr ' })).toEqual({ 'x-team': 'hr' });
});

it('takes values of headers out of an answer', () => {
  const headers = { authorization: 'Bearer secret-token', 'x-a': 'hr' };
  expect(withoutHeaders('{"a":"Bearer secret-token","b":"secret-token","c":"hr"}', headers)).toBe(
    '{"a":"[header]","b":"[header]","c":"hr"}',
  );
  expect(withoutHeaders(null, headers)).toBeNull();
});
