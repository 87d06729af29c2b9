import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';

let service: TestApp;
let at: House;
const servers: Server[] = [];
const sockets = new Set<Socket>();
beforeAll(async () => {
  service = await startApp();
  at = await newHouse(service);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  await service.close();
});

/** Starts a server that does with each connection what a test says, after the request came. */
async function hostile(then: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => then(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

interface Tried {
  outcome: string;
  status: number | null;
  fault: string | null;
  answer: string | null;
  ms: number;
}

async function tested(url: string): Promise<Tried> {
  const made = await at.api.post('/webhooks', { url });
  expect(made.status).toBe(201);
  const { status, body } = await at.api.post(`/webhooks/${made.body.id}/test`, {});
  expect(status).toBe(200);
  await at.api.delete(`/webhooks/${made.body.id}`);
  return body as Tried;
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';

it('gives up after 15 seconds without headers, or with a body of a byte a second', async () => {
  const silent = await hostile(() => undefined);
  const slow = await hostile((socket) => {
    socket.write(`${HEAD}content-length: 1000\r\n\r\n`);
    setInterval(() => socket.write('x'), 1_000).unref();
  });
  const [first, second] = await Promise.all([tested(silent), tested(slow)]);
  expect(first).toMatchObject({ outcome: 'timeout', status: null, fault: 'theirs' });
  // The status had come: the body is no part of the promise.
  expect(second).toMatchObject({ outcome: 'delivered', status: 200 });
  for (const { ms } of [first, second]) {
    expect(ms).toBeGreaterThan(14_000);
    expect(ms).toBeLessThan(16_500);
  }
}, 40_000);

it('reads at most 64 KiB of an endless body, and keeps 4', async () => {
  let sent = 0;
  const url = await hostile((socket) => {
    socket.write(`${HEAD}\r\n`);
    const part = Buffer.alloc(16 * 1024, 'x');
    const more = (): void => {
      while (!socket.destroyed && socket.write(part)) sent += part.length;
      socket.once('drain', more);
    };
    more();
  });
  const tried = await tested(url);
  expect(tried).toMatchObject({ outcome: 'delivered', status: 200 });
  expect(tried.answer).toHaveLength(4 * 1024);
  expect(tried.ms).toBeLessThan(5_000);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

it('never inflates a gzip bomb', async () => {
  const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
  const url = await hostile((socket) => {
    socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  });
  const tried = await tested(url);
  expect(tried).toMatchObject({ outcome: 'delivered', status: 200 });
  expect(Buffer.byteLength(tried.answer!)).toBeLessThanOrEqual(4 * 1024);
});

it.each([
  ['a reset after the request', (socket: Socket) => void socket.resetAndDestroy(), 'reset'],
  ['an end without an answer', (socket: Socket) => void socket.end(), 'reset'],
  ['an answer that is no HTTP', (socket: Socket) => void socket.end('hello\r\n\r\n'), 'reset'],
  ['headers without an end', (socket: Socket) => void socket.write(HEAD + `x: ${'y'.repeat(64 * 1024)}`), 'reset'],
])('reports %s', async (_, then, outcome) => {
  expect(await tested(await hostile(then))).toMatchObject({ outcome, status: null, fault: 'theirs' });
});

it('reports a broken TLS', async () => {
  const url = await hostile((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(await tested(url.replace('http:', 'https:'))).toMatchObject({ outcome: 'tls', fault: 'theirs', answer: null });
});

it('reports a port that is closed', async () => {
  const url = await hostile(() => undefined);
  const server = servers.pop()!;
  await new Promise((resolve) => server.close(resolve));
  expect(await tested(url)).toMatchObject({ outcome: 'refused', fault: 'theirs', detail: 'ECONNREFUSED' });
});

it.each([301, 302, 303, 307, 308])('does not follow a %s', async (status) => {
  let followed = 0;
  const target = await hostile((socket) => {
    followed++;
    socket.end(`${HEAD}\r\n`);
  });
  const url = await hostile((socket) => {
    socket.end(`HTTP/1.1 ${status} Moved\r\nlocation: ${target}\r\ncontent-length: 0\r\n\r\n`);
  });
  expect(await tested(url)).toMatchObject({ outcome: 'redirect', status, fault: 'theirs' });
  expect(followed).toBe(0);
});

it('limits the slow answers that a tenant waits for to four', async () => {
  const url = await hostile((socket) => void setTimeout(() => socket.end(`${HEAD}\r\n`), 1_500));
  const { body } = await at.api.post('/webhooks', { url });
  const answers = await Promise.all(Array.from({ length: 8 }, () => at.api.post(`/webhooks/${body.id}/test`, {})));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
  expect(refused).toHaveLength(4);
  expect(refused[0]!.headers.get('retry-after')).toBe('5');
});
