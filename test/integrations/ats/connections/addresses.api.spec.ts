import http from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { startApp, type TestApp } from '../../../support/app.js';
import { until } from '../../../support/ats.js';
import { newHouse, type House } from '../../../support/house.js';
import { NameServer } from '../../../support/name-server.js';
import { long } from '../../../support/rounds.js';

// As in production: private addresses are not admitted. Names of tenants are looked up at a name server of the test.

const PORTS = [4443, 8443, 9443, 10443];
const NAME = 'api.ats.example';
const PUBLIC = '93.184.216.34';

let names: NameServer;
let service: TestApp;
let house: House;
/** Counts connections to a port of this machine that are forbidden. */
let trap: Server;
let trapped = 0;

beforeAll(async () => {
  names = await NameServer.start();
  trap = createServer((socket) => {
    trapped++;
    socket.destroy();
  });
  await listening(trap);
  service = await startApp({
    ALLOW_PRIVATE_DESTINATIONS: 'off',
    DNS_SERVERS: names.address,
    BASE_URL: 'https://bridge.example.com',
    API_BASE_URL: 'https://api.example.com',
    APP_URL: 'https://app.example.com',
  });
  house = await newHouse(service);
});
afterAll(async () => {
  await service.close();
  await names.close();
  trap.close();
});
beforeEach(() => {
  trapped = 0;
  names.zone.set(NAME, { a: [PUBLIC] });
});

/** Listens on one of the ports that destinations may have. */
async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  for (const port of PORTS) {
    const bound = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, host, () => resolve(true));
    });
    if (bound) return port;
  }
  throw new Error('no port is free');
}

const address = (host = NAME): string => `https://${host}:${(trap.address() as AddressInfo).port}/v1`;
const create = (base_url: string, of: House = house) =>
  of.api.post('/ats-connections', {
    provider: 'lever',
    base_url,
    credential: { kind: 'api_key', key: 'k-0123456789' },
  });

describe('base_url', () => {
  test.each([
    'https://127.0.0.1/v1',
    'https://2130706433/v1',
    'https://0x7f.1/v1',
    'https://[::1]/v1',
    'https://[::ffff:127.0.0.1]/v1',
    'https://10.1.2.3/v1',
    'https://169.254.169.254/latest',
    'https://[fd00:ec2::254]/latest',
    'https://metadata.google.internal/v1',
    'https://localhost:8443/v1',
    'https://user:pass@api.ats.example/v1',
    'http://api.ats.example/v1',
    'https://api.ats.example:22/v1',
    'https://api.ats.example/v1?x=1',
    'https://api.ats.example/v1#x',
  ])('%s is refused, with the field', async (text) => {
    const { status, body } = await create(text);
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'base_url']);
    expect(names.asked).not.toContain('localhost');
  });

  test.each([
    ['a private address', ['10.0.0.8']],
    ['this machine', ['127.0.0.1']],
    ['a metadata service', ['169.254.169.254']],
    ['a public and a private address', [PUBLIC, '192.168.1.1']],
  ])('a name that leads to %s is refused', async (_, a) => {
    names.zone.set(NAME, { a });
    const { status, body } = await create(address());
    expect([status, body.errors?.[0]]).toEqual([
      422,
      { field: 'base_url', message: expect.stringContaining('public addresses alone') },
    ]);
  });
});

test.each([[['127.0.0.1']], [['169.254.169.254']], [[PUBLIC, '127.0.0.1']], [['0.0.0.0']]])(
  'a name that was public when it was set and leads to %j later is never called',
  async (a) => {
    const at = await newHouse(service);
    const name = `n${a.join('-').replaceAll('.', '-')}.ats.example`;
    names.zone.set(name, { a: ['203.0.114.1'] });
    // The connection is made without a credential, so that nothing is called while its name is public.
    const made = await at.api.post('/ats-connections', { provider: 'lever', base_url: address(name) });
    expect(made.status).toBe(201);
    names.zone.set(name, { a });
    const path = `/ats-connections/${made.body.id as string}`;
    const credential = { kind: 'api_key', key: 'k-0123456789' };
    await until(async () => (await at.api.patch(path, { credential })).status === 200);
    const tested = await at.api.post(`${path}/test`);
    expect(tested.body).toMatchObject({ ok: false, reason: 'blocked' });
    await at.api.post(`${path}/sync`, { full: true });
    await until(async () => ((await at.api.get(`${path}/runs`)).body.data as unknown[]).length > 0);
    const { body: ended } = await at.api.post(`${path}/disconnect`);
    expect(ended.state).toBe('disconnected');
    expect(trapped).toBe(0);
  },
);

long('a redirect is not followed', async () => {
  // One address of this machine is admitted, and no other one.
  let asked = 0;
  const where: string[] = [];
  const redirecting = http.createServer((req, res) => {
    asked++;
    where.push(req.url ?? '');
    res.writeHead(302, { location: `http://127.0.0.2:${(target.address() as AddressInfo).port}/secret` }).end();
  });
  const target = createServer((socket) => {
    trapped++;
    socket.destroy();
  });
  await once(target.listen(0, '127.0.0.2'), 'listening');
  const port = await listening(redirecting);
  const admitting = await startApp({ ALLOW_PRIVATE_DESTINATIONS: 'off', ALLOW_DESTINATION_NETWORKS: '127.0.0.1/32' });
  try {
    const at = await newHouse(admitting);
    const { body } = await create(`http://127.0.0.1:${port}/v1`, at);
    const tested = await at.api.post(`/ats-connections/${body.id as string}/test`);
    expect(tested.body).toMatchObject({ ok: false, reason: 'status_302' });
    expect(asked).toBeGreaterThan(0);
    expect(where.every((path) => path.startsWith('/v1/'))).toBe(true);
    expect(trapped).toBe(0);
  } finally {
    await admitting.close();
    redirecting.closeAllConnections();
    redirecting.close();
    target.close();
  }
});
