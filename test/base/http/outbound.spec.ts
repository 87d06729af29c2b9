import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Outbound, type OutboundAnswer } from '../../../src/base/http/outbound.js';
import { isPublicAddress, refusalOfUrl } from '../../../src/base/http/destination-networks.js';

describe('isPublicAddress', () => {
  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0',
    'localhost',
    '',
    'fe80::1%eth0',
    '[::1]',
  ])('refuses %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
    'admits %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('refusalOfUrl', () => {
  it.each([
    'http://platform.example.com',
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://0177.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://localhost',
    'https://api.localhost.',
    'https://127.0.0.1.',
    'https://169.254.169.254',
    'https://a:b@platform.example.com',
    'https://a@platform.example.com',
    'https://platform.example.com:22',
    'https://platform.example.com:25',
    'ftp://platform.example.com',
    'platform',
    'https://',
    'javascript:alert(1)',
    'https://①②⑦.⓪.⓪.①',
    'https://10.0.0.1:8443',
  ])('refuses %s', (url) => expect(refusalOfUrl(url)).not.toBeNull());

  it.each(['https://platform.example.com', 'https://platform.example.com:8443/base', 'https://8.8.8.8'])(
    'admits %s',
    (url) => expect(refusalOfUrl(url)).toBeNull(),
  );
});

describe('Outbound', () => {
  const outbound = new Outbound();
  let server: http.Server;
  let origin: string;
  let handle: http.RequestListener = (_, res) => void res.end('{}');
  beforeAll(async () => {
    server = http.createServer((req, res) => handle(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });
  const call = (more: object = {}, trusted = true): Promise<OutboundAnswer> =>
    outbound.call({ method: 'GET', origin, path: '/', owner: null, headers: {}, timeoutMs: 2_000, ...more }, trusted);

  it('sends the given bytes unchanged, and asks for no compression', async () => {
    let seen = {};
    handle = (req, res) => {
      let body = '';
      req.on('data', (chunk) => (body += chunk));
      req.on('end', () => {
        seen = {
          method: req.method,
          url: req.url,
          key: req.headers['x-key'],
          encoding: req.headers['accept-encoding'],
          body,
        };
        res.writeHead(201, { 'content-type': 'application/json', 'retry-after': '3', location: '/x' }).end('{"id":1}');
      });
    };
    const answer = await call({ method: 'POST', path: '/v1/users?a=b', headers: { 'x-key': 'k' }, body: '{"é":1}' });
    expect(seen).toEqual({ method: 'POST', url: '/v1/users?a=b', key: 'k', encoding: undefined, body: '{"é":1}' });
    expect(answer).toMatchObject({
      kind: 'answer',
      status: 201,
      retryAfter: '3',
      location: '/x',
      body: '{"id":1}',
      truncated: false,
    });
  });

  it('does not follow redirects', async () => {
    let requests = 0;
    handle = (_, res) => {
      requests++;
      res.writeHead(302, { location: `${origin}/elsewhere` }).end();
    };
    expect(await call()).toMatchObject({ status: 302 });
    expect(requests).toBe(1);
  });

  it('reads at most 64 KiB', async () => {
    handle = (_, res) => {
      const flow = (): void => {
        while (!res.destroyed && res.write('x'.repeat(16_384)));
      };
      res.on('drain', flow);
      flow();
    };
    const answer = await call();
    expect(answer).toMatchObject({ kind: 'answer', truncated: true });
    expect(answer.kind === 'answer' && answer.body.length).toBe(65_536);
  });

  it.each<[string, http.RequestListener]>([
    ['that never answers', () => undefined],
    ['that never ends', (_, res) => void res.write('{')],
    [
      'that drips',
      (_, res) => {
        const drip = setInterval(() => res.write(' '), 20);
        res.on('close', () => clearInterval(drip));
      },
    ],
  ])('gives up at the deadline on a server %s', async (_, listener) => {
    handle = listener;
    expect(await call({ timeoutMs: 150 })).toMatchObject({ kind: 'failed', reason: 'timeout' });
  });

  it('gives the reason for a missing answer', async () => {
    handle = (req) => req.socket.destroy();
    expect(await call()).toMatchObject({ kind: 'failed', reason: 'reset' });
    expect(await call({ origin: 'http://127.0.0.1:1' })).toMatchObject({ kind: 'failed', reason: 'refused' });
    expect(await call({ origin: 'http://no-such-host.invalid' })).toMatchObject({ kind: 'failed', reason: 'dns' });
  });

  it('connects to no private address for a tenant, however it is written', async () => {
    let connections = 0;
    server.on('connection', () => connections++);
    handle = (_, res) => void res.end('{}');
    const { port } = server.address() as AddressInfo;
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '[::1]', '0.0.0.0']) {
      const answer = await call({ origin: `http://${host}:${port}` }, false);
      expect([host, answer]).toEqual([host, expect.objectContaining({ kind: 'failed', reason: 'blocked' })]);
    }
    expect(connections).toBe(0);
    // The control: the same address is reached where the operator chose it.
    expect(await call({ origin: `http://localhost:${port}` })).toMatchObject({ kind: 'answer', status: 200 });
  });

  it('ignores proxy variables', async () => {
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
    handle = (_, res) => void res.end('{}');
    expect(await call()).toMatchObject({ status: 200 });
    delete process.env['HTTP_PROXY'];
  });
});
