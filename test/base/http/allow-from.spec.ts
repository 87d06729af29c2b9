import { allowFromProblems, withAllowFromNotice } from '../../../src/base/http/allow-from.js';

it.each<[string, unknown[], string[]]>([
  ['admits an empty list', [], []],
  ['admits addresses and networks', ['192.0.2.1', '198.51.100.0/24', '2001:db8::/32'], []],
  ['refuses a name by its place', ['192.0.2.1', 'example.com'], ['allow_from[1]']],
  ['refuses each network that is none', [7, '192.0.2.1', null], ['allow_from[0]', 'allow_from[2]']],
  ['refuses every address beside others', ['192.0.2.1', '0.0.0.0/0', '::/0'], ['allow_from[1]', 'allow_from[2]']],
  ['admits every address alone', ['0.0.0.0/0'], []],
])('%s', (_, networks, fields) => {
  expect(allowFromProblems(networks).map(({ field }) => field)).toEqual(fields);
});

describe('the notice', () => {
  const body = { allow_from: ['203.0.113.0/24'] };

  it('names the address of a request that the list shuts out', () => {
    const { notices } = withAllowFromNotice<typeof body & { notices?: string[] }>(body, { ip: '::ffff:192.0.2.1' });
    expect(notices).toEqual(['allow_from does not admit the address of this request: 192.0.2.1.']);
  });

  it('is not there when the list admits the address, or every address', () => {
    expect(withAllowFromNotice(body, { ip: '203.0.113.7' })).toBe(body);
    const everywhere = { allow_from: [] };
    expect(withAllowFromNotice(everywhere, { ip: '192.0.2.1' })).toBe(everywhere);
  });
});
