import {
  DestinationNetworks,
  isMetadataAddress,
  mayConnect,
  refusalOfUrl,
  type Admission,
} from '../../../src/base/http/destination-networks.js';

const PRIVATE: Admission = { anyPrivate: true, networks: new DestinationNetworks() };
const within = (...list: string[]): Admission => ({ anyPrivate: false, networks: new DestinationNetworks(list) });

/** Addresses that no webhook endpoint may have, under any setting of the operator. */
const NEVER = [
  'https://169.254.169.254/latest/meta-data',
  'https://[fd00:ec2::254]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[2002:a9fe:a9fe::]/',
  'https://2852039166/',
  'https://0xa9.0xfe.0xa9.0xfe/',
  'https://100.100.100.200/',
  'https://192.0.0.192/',
  'https://168.63.129.16/',
  'https://[fd20:ce::254]/',
  'https://metadata.google.internal/',
  'https://METADATA.google.internal./',
  'https://metadata.goog/',
  'https://metadata/',
  'https://user:password@hooks.example.com/',
  'https://user@hooks.example.com/',
  'ftp://hooks.example.com/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'hooks.example.com/x',
  '//hooks.example.com/x',
  'https://',
  '',
  `https://hooks.example.com/${'x'.repeat(2_048)}`,
];

/** What is refused unless the operator admits private addresses. */
const PRIVATE_ONES = [
  'http://hooks.example.com/x',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://127.1/',
  'https://0177.0.0.1/',
  'https://127.0.0.1./',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b:1::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:db8::1]/',
  'https://[100::1]/',
  'https://[3fff::1]/',
  'https://[5f00::1]/',
  'https://[fc00::1]/',
  'https://[200::1]/',
  'https://[1000::1]/',
  'https://[4000::1]/',
  'https://[e000::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://１２７.0.0.1/',
  'https://①②⑦.⓪.⓪.①/',
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://a.localhost/',
  'https://db.internal/',
  'https://db.internal./',
  'https://0.0.0.0/',
  'https://10.1.2.3/',
  'https://100.64.0.1/',
  'https://172.16.0.1/',
  'https://192.0.0.1/',
  'https://192.0.2.1/',
  'https://192.88.99.1/',
  'https://192.168.1.1/',
  'https://198.18.0.1/',
  'https://198.51.100.1/',
  'https://203.0.113.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
];

describe('addresses of webhook endpoints', () => {
  it.each([...NEVER, ...PRIVATE_ONES])('refuses %s', (url) => {
    expect(refusalOfUrl(url, 'webhook')).not.toBeNull();
  });

  it.each(NEVER)('refuses %s where private addresses are admitted', (url) => {
    expect(refusalOfUrl(url, 'webhook', PRIVATE)).not.toBeNull();
    expect(refusalOfUrl(url, 'webhook', within('0.0.0.0/0', '::/0'))).not.toBeNull();
  });

  it.each(PRIVATE_ONES)('admits %s where private addresses are admitted', (url) => {
    expect(refusalOfUrl(url, 'webhook', PRIVATE)).toBeNull();
  });

  it.each([
    ['https://hooks.example.com/x?y=z', true],
    ['https://hooks.example.com:443/x', true],
    ['https://hooks.example.com:1024/x', true],
    ['https://hooks.example.com:65535/x', true],
    ['https://8.8.8.8/x', true],
    ['https://müller.example/x', true],
    ['https://hooks.example.com:80/x', false],
    ['https://hooks.example.com:22/x', false],
    ['https://hooks.example.com:1023/x', false],
    ['https://hooks.example.com:0/x', false],
  ])('port of %s: %s', (url, admitted) => {
    expect(refusalOfUrl(url, 'webhook') === null).toBe(admitted);
  });

  it('leaves platforms their own ports', () => {
    expect(refusalOfUrl('https://platform.example.com:3000/')).not.toBeNull();
    expect(refusalOfUrl('https://platform.example.com:8443/')).toBeNull();
  });
});

describe('networks that the operator admits', () => {
  const admission = within('10.0.0.0/8', '192.168.7.7', 'fd12::/16');

  it.each([
    ['https://10.1.2.3/', true],
    ['http://10.1.2.3:8080/', true],
    ['http://[fd12::1]/', true],
    ['https://192.168.7.7/', true],
    ['https://192.168.7.8/', false],
    ['https://172.16.0.1/', false],
    ['http://8.8.8.8/', false],
    ['https://8.8.8.8/', true],
    ['https://db.internal/', true],
    ['http://db.internal/', true],
  ])('%s: %s', (url, admitted) => {
    expect(refusalOfUrl(url, 'webhook', admission) === null).toBe(admitted);
  });

  it.each([
    ['10.1.2.3', false, true],
    ['::ffff:10.1.2.3', false, true],
    ['8.8.8.8', false, false],
    ['8.8.8.8', true, true],
    ['127.0.0.1', true, false],
    ['169.254.169.254', true, false],
  ])('%s, secure: %s, may be connected to: %s', (address, secure, expected) => {
    expect(mayConnect(address, secure, admission)).toBe(expected);
  });

  it('never admits metadata services', () => {
    const all = within('0.0.0.0/0', '::/0');
    for (const address of ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16', 'fe80::1']) {
      expect(isMetadataAddress(address)).toBe(true);
      expect(mayConnect(address, true, all)).toBe(false);
      expect(mayConnect(address, true, PRIVATE)).toBe(false);
    }
    expect(isMetadataAddress('8.8.8.8')).toBe(false);
  });
});
