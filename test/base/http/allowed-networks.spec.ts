import { AllowedNetworks, isEverywhere, networkProblem } from '../../../src/base/http/allowed-networks.js';

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
    expect([isEverywhere('0.0.0.0/0'), isEverywhere('::/0'), isEverywhere('10.0.0.0/8')]).toEqual([true, true, false]);
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
