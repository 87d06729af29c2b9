import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { boundConnections, proveCaller } from '../../../src/base/http/connection-bound.js';
import { TooManyRequests } from '../../../src/base/http/http.errors.js';
import type { BridgeRequest } from '../../../src/base/http/request.js';
import { eventually } from '../../support/http.js';

let server: http.Server;
let open: Socket[];
/** Requests that are answered when the test says so. */
let atWork: http.ServerResponse[];

beforeEach(async () => {
  open = [];
  atWork = [];
  server = http.createServer((req, res) => {
    const request = req as BridgeRequest;
    const [, tenantId] = (req.headers.authorization ?? '').split(' ');
    if (tenantId !== undefined) {
      request.tenantId = tenantId;
      try {
        proveCaller(request);
      } catch (error) {
        res.statusCode = error instanceof TooManyRequests ? 429 : 500;
      }
    }
    if (req.url === '/slow') atWork.push(res);
    else res.end('ok');
  });
  boundConnections(server, { most: 6, strangers: 3, tenant: 3 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(async () => {
  for (const socket of open) socket.destroy();
  server.closeAllConnections();
  server.close();
});

async function connect(): Promise<Socket> {
  const accepted = once(server, 'connection');
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  open.push(socket);
  await accepted;
  return socket;
}

async function ask(socket: Socket, tenant: string | null): Promise<string> {
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${tenant === null ? '' : `Authorization: Bearer ${tenant}\r\n`}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString().slice(9, 12);
}

/** A connection whose request is not answered until the test says so. */
async function busy(tenant: string): Promise<Socket> {
  const socket = await connect();
  const before = atWork.length;
  socket.write(`GET /slow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant}\r\n\r\n`);
  await eventually(
    () => Promise.resolve(atWork.length),
    (count) => count > before,
  );
  return socket;
}

async function idle(tenant: string): Promise<Socket> {
  const socket = await connect();
  expect(await ask(socket, tenant)).toBe('200');
  return socket;
}

const closed = (socket: Socket): Promise<unknown> => (socket.destroyed ? Promise.resolve() : once(socket, 'close'));

it('closes the oldest idle anonymous connection for each new one over the limit, and none of a tenant', async () => {
  const honest = await idle('t1');
  const strangers = [await connect(), await connect(), await connect(), await connect(), await connect()];
  await Promise.all(strangers.slice(0, 2).map(closed));
  expect(await ask(honest, 't1')).toBe('200');
  expect(await ask(strangers[4]!, null)).toBe('200');
});

it('closes an idle connection of the tenant that opens more than its share', async () => {
  const neighbour = await idle('t2');
  const own = [await idle('t1'), await idle('t1'), await idle('t1'), await idle('t1')];
  await closed(own[0]!);
  for (const socket of own.slice(1)) expect(await ask(socket, 't1')).toBe('200');
  expect(await ask(neighbour, 't2')).toBe('200');
});

it('closes the connection that has been idle for longest, also when it is not the oldest', async () => {
  const [first, second, third] = [await idle('t1'), await idle('t1'), await idle('t1')];
  expect(await ask(first, 't1')).toBe('200');
  await idle('t1');
  await closed(second);
  for (const socket of [first, third]) expect(await ask(socket, 't1')).toBe('200');
});

it('closes no connection with a request, and refuses the tenant one more when all of its are at work', async () => {
  const sockets = [await busy('t1'), await busy('t1'), await busy('t1')];
  expect(await ask(await connect(), 't1')).toBe('429');
  expect(await ask(await connect(), 't2')).toBe('200');
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const res of atWork) res.end('ok');
  for (const [answer] of (await Promise.all(answers)) as [Buffer][])
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);
});

it('closes a connection of the tenant with the most when the process is full', async () => {
  const largest = [await idle('t1'), await busy('t1'), await idle('t1')];
  const others = [await idle('t2'), await idle('t3'), await idle('t4')];
  const last = await connect();
  await closed(largest[0]!);
  for (const [i, socket] of others.entries()) expect(await ask(socket, `t${i + 2}`)).toBe('200');
  expect(await ask(largest[2]!, 't1')).toBe('200');
  expect(await ask(last, 't5')).toBe('200');
});

it('refuses a new connection when every place is taken by a request of a tenant', async () => {
  for (const tenant of ['t1', 't1', 't1', 't2', 't2', 't2']) await busy(tenant);
  const refused = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  refused.on('error', () => undefined);
  open.push(refused);
  await closed(refused);
});
