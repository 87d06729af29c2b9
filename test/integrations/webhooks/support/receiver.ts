import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Socket } from 'node:net';

/** A request as a receiver got it. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A real local receiver of webhooks; a test says how it answers. */
export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** Answers every request from now on. */
  answer(handle: http.RequestListener): void;
  close(): Promise<void>;
}

/** Starts a receiver that answers 204. */
export async function receiver(): Promise<Receiver> {
  const received: Received[] = [];
  let handle: http.RequestListener = (_, res) => void res.writeHead(204).end();
  const sockets = new Set<Socket>();
  const server = http.createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
      received.push({ path: req.url ?? '', headers, body: Buffer.concat(parts).toString('utf8') });
      handle(req, res);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer: (next) => (handle = next),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
