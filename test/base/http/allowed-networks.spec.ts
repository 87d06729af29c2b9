import {
  AllowedNetworks,
  isEverywhere,
  networkProblem,
  allowFromProblems,
  withAllowFromNotice,
} from '../../../src/base/http/allowed-networks.js';

describe('allowed networks', () => {
  describe('networkProblem', () => {
    it.each(['192.0.2.1', '192.0.2.0/24', '2001:db8::/32', '::1', '0.0.0.0/0'])('takes %s', (text) => {
      expect(networkProblem(text)).toBeNull();
    });

    it.each([
      '192.0.2.0/33',
      '192.0.2.0/x',
      '192.0.2.0/24/1',
      '::ffff:192.0.2.0/120',
      'fe80::1%eth0',
      'example.com',
      '',
      ' ',
      '1',
      '192.0.2.1/',
      `${'1'.repeat(60)}`,
      7,
      null,
    ])('refuses %j', (text) => {
      expect(networkProblem(text)).not.toBeNull();
    });
  });

  describe('AllowedNetworks', () => {
    it('admits every address, and an unknown one, without a network', () => {
      const none = new AllowedNetworks([]);
      expect([none.admits('192.0.2.1'), none.admits('::1'), none.admits(undefined)]).toEqual([true, true, true]);
    });

    it('admits the addresses of its networks alone, in every spelling', () => {
      const some = new AllowedNetworks(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32']);
      for (const inside of ['192.0.2.255', '::ffff:192.0.2.1', '198.51.100.7', '2001:db8:0:0::5']) {
        expect([inside, some.admits(inside)]).toEqual([inside, true]);
      }
      for (const outside of ['192.0.3.1', '198.51.100.8', '2001:db9::1', '::ffff:192.0.3.1', '', 'x', undefined]) {
        expect([outside, some.admits(outside)]).toEqual([outside, false]);
      }
    });

    it('keeps the kinds of addresses apart', () => {
      const some = new AllowedNetworks(['0.0.0.0/0']);
      expect([some.admits('192.0.2.1'), some.admits('2001:db8::1')]).toEqual([true, false]);
      expect([isEverywhere('0.0.0.0/0'), isEverywhere('::/0'), isEverywhere('10.0.0.0/8')]).toEqual([
        true,
        true,
        false,
      ]);
    });

    it('answers the same for an address that it has seen, among thousands of others', () => {
      const some = new AllowedNetworks(['10.0.0.0/9']);
      for (let i = 0; i < 3_000; i++) some.admits(`10.${i % 256}.${i >> 8}.1`);
      for (const [address, inside] of [
        ['10.1.1.1', true],
        ['10.200.1.1', false],
      ] as const) {
        expect([some.admits(address), some.admits(address)]).toEqual([inside, inside]);
      }
    });
  });
});

describe('allow from', () => {
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
});
