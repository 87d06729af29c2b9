import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import express from 'express';
import { bodyReader } from '../../../src/base/http/body.js';
import { readForm } from '../../../src/base/http/form.js';
import { Outbound } from '../../../src/base/http/outbound.js';
import { collectGarbage } from '../../support/garbage.js';
import { long } from '../../support/rounds.js';

/** A piece of one byte takes six bytes on the wire (RFC 9112 §7.1). */
const piecesOf = (count: number): string => '1\r\n \r\n'.repeat(count);
const MIB = 1024 * 1024;

/** Memory that is in use outside and inside the heap, in bytes. */
function used(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function listening(handler: http.RequestListener): Promise<{ port: number; close: () => void }> {
  const server = http.createServer(handler);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Sends the head of a request and a number of pieces of one byte, and leaves it open. */
async function slow(port: number, path: string, type: string, pieces: number): Promise<Socket> {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  for (let sent = 0; sent < pieces; sent += 10_000) {
    if (!socket.write(piecesOf(Math.min(10_000, pieces - sent)))) await once(socket, 'drain');
  }
  return socket;
}

// Kept one by one, each piece takes 70 bytes of memory and more; received, it takes as long as a thousand bytes.
describe('pieces of one byte', () => {
  it.each([
    ['JSON bodies', '/json', 'application/json'],
    ['forms', '/form', 'application/x-www-form-urlencoded'],
  ])('of %s are refused and the connection ends', async (_name, path, type) => {
    const app = express();
    const refusal = (res: express.Response) => (error: { code: string; extras: { headers: Record<string, string> } }) =>
      res.status(400).set(error.extras.headers).end(error.code);
    app.post('/form', (req, res) => {
      readForm(req, 256 * 1024, []).then(() => res.end('read'), refusal(res));
    });
    app.use(bodyReader());
    app.use(((error, _req, res, _next) => refusal(res)(error as never)) as express.ErrorRequestHandler);
    const server = await listening(app);
    const socket = await slow(server.port, path, type, 300);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*Connection: close[^]*body_in_crumbs/);
    server.close();
  });

  it('of a small body are read', async () => {
    const app = express();
    app.use(bodyReader());
    app.post('/json', (req, res) => void res.json(req.body));
    const server = await listening(app);
    const socket = await slow(server.port, '/json', 'application/json', 100);
    socket.write('4\r\n{}  \r\n0\r\n\r\n');
    expect(((await once(socket, 'data')) as [Buffer])[0].toString()).toMatch(/^HTTP\/1.1 200 [^]*\{\}/);
    socket.destroy();
    server.close();
  });

  it('of an answer end the call', async () => {
    const server = await listening((_req, res) => {
      res.socket!.on('error', () => undefined);
      res.socket!.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      res.socket!.write(piecesOf(100_000));
    });
    const outbound = new Outbound();
    const answer = await outbound.call(
      {
        method: 'GET',
        origin: `http://127.0.0.1:${server.port}`,
        path: '/',
        headers: {},
        owner: null,
        timeoutMs: 30_000,
        maxBytes: MIB,
      },
      true,
    );
    expect(answer).toMatchObject({
      kind: 'failed',
      reason: 'reset',
      detail: 'the answer comes in pieces of less than 32 bytes',
    });
    await outbound.close();
    server.close();
  });
});

long('keeps bodies in small pieces in less memory than they take on the wire', async () => {
  const app = express();
  let arrived = 0;
  app.use((req, _res, next) => {
    req.on('data', (chunk: Buffer) => (arrived += chunk.length));
    next();
  });
  app.post('/form', (req) => void readForm(req, 256 * 1024, []).catch(() => undefined));
  const server = await listening(app);
  const before = used();
  const piece = `28\r\n${'a'.repeat(40)}\r\n`;
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => slow(server.port, '/form', 'application/x-www-form-urlencoded', 0)),
  );
  for (const socket of sockets) socket.write(piece.repeat(6_000));
  while (arrived < 20 * 6_000 * 40) await new Promise((resolve) => setImmediate(resolve));
  expect(used() - before).toBeLessThan(20 * 6_000 * piece.length * 2);
  for (const socket of sockets) socket.destroy();
  server.close();
});

it('answers 503 for the oldest of too many unfinished bodies of unknown senders, and reads a new one', async () => {
  const app = express();
  app.post('/form', (req, res) => {
    readForm(req, 2 * MIB, []).then(
      (form) => res.status(200).end(String(form.size)),
      (error: { code: string }) => res.status(503).end(error.code),
    );
  });
  const server = await listening(app);
  const send = async (bytes: number, announced: number): Promise<Socket> => {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${announced}\r\n\r\n`,
    );
    socket.write(`a=${'x'.repeat(bytes - 2)}`);
    return socket;
  };
  const first = await send(MIB, MIB + 10);
  const refused = once(first, 'data') as Promise<[Buffer]>;
  const others: Socket[] = [];
  for (let i = 0; i < 12; i++) others.push(await send(MIB + 512 * 1024, MIB + 600 * 1024));
  expect((await refused)[0].toString()).toMatch(/^HTTP\/1.1 503 [^]*too_many_bodies/);
  const honest = await send(1000, 1000);
  expect(((await once(honest, 'data')) as [Buffer])[0].toString()).toMatch(/^HTTP\/1.1 200/);
  for (const socket of [first, honest, ...others]) socket.destroy();
  server.close();
});
