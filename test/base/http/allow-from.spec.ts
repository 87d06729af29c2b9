import { allowFromProblems, withAllowFromNotice } from '../../../src/base/http/allow-from.js';
import { AllowedNetworks } from '../../../src/base/http/allowed-networks.js';

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

it.each<[string, string[], string[], string[]]>([
  ['gives the same networks', ['192.0.2.0/24'], ['192.0.2.0/24'], []],
  ['gives smaller ones of either kind', ['192.0.2.0/24', '2001:db8::/32'], ['192.0.2.128/25', '2001:db8::1'], []],
  ['gives no larger one', ['192.0.2.0/24'], ['192.0.2.0/23'], ['allow_from[0]']],
  ['gives no other one', ['192.0.2.0/24'], ['192.0.2.7', '198.51.100.7'], ['allow_from[1]']],
  ['gives no network of the other kind', ['192.0.2.0/24'], ['::/0'], ['allow_from[0]']],
  ['gives no empty list, which admits every address', ['192.0.2.0/24'], [], ['allow_from']],
  ['gives any network when it is held to none', [], ['192.0.2.0/24'], []],
])('a key %s', (_, own, networks, fields) => {
  expect(allowFromProblems(networks, new AllowedNetworks(own)).map(({ field }) => field)).toEqual(fields);
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
