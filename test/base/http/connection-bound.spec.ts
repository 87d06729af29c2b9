import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { boundConnections, proveCaller } from '../../../src/base/http/connection-bound.js';
import type { BridgeRequest } from '../../../src/base/http/request.js';

let server: http.Server;
let open: Socket[];

beforeEach(async () => {
  open = [];
  server = http.createServer((req, res) => {
    if (req.headers.authorization !== undefined) proveCaller(req as BridgeRequest);
    res.end('ok');
  });
  boundConnections(server, 3);
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

async function ask(socket: Socket, credential: boolean): Promise<string> {
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${credential ? 'Authorization: Bearer x\r\n' : ''}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString().slice(9, 12);
}

const closed = (socket: Socket): Promise<unknown> => (socket.destroyed ? Promise.resolve() : once(socket, 'close'));

it('closes the oldest connection without a credential for each new one over the bound', async () => {
  const honest = await connect();
  expect(await ask(honest, true)).toBe('200');
  const strangers = [await connect(), await connect(), await connect(), await connect()];
  await Promise.all(strangers.slice(0, 2).map(closed));
  expect(await ask(honest, true)).toBe('200');
  expect(await ask(strangers[3]!, false)).toBe('200');
});

it('closes the oldest of all where every connection has brought a credential', async () => {
  const all: Socket[] = [];
  for (let i = 0; i < 3; i++) {
    all.push(await connect());
    await ask(all[i]!, true);
  }
  const last = await connect();
  await closed(all[0]!);
  expect(await ask(last, true)).toBe('200');
});
