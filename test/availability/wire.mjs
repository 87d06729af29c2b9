// Bytes on the wire, counted: what no HTTP client would send, and what comes back is let go.
import net from 'node:net';

/** Resolves with the first of these events of the socket. */
function firstOf(socket, ...names) {
  return new Promise((resolve) => {
    const done = () => {
      for (const name of names) socket.off(name, done);
      resolve();
    };
    for (const name of names) socket.once(name, done);
  });
}

/** Connects, sends and counts. Errors are the answer of a service that defends itself. */
export class Wire {
  sent = 0;
  statuses = new Map();

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.target = { host: hostname, port: Number(port) };
  }

  async connect() {
    const socket = net.connect(this.target);
    socket.on('error', () => undefined);
    await firstOf(socket, 'connect', 'close');
    return socket;
  }

  async send(socket, text) {
    if (socket.destroyed) return;
    this.sent += Buffer.byteLength(text);
    if (!socket.write(text)) await firstOf(socket, 'drain', 'close');
  }

  /** One request on a connection of its own; resolves with the status, 0 where the connection ended without one. */
  async request(method, path, headers = {}, body = '', patienceMs = 15_000) {
    const socket = await this.connect();
    const head = Object.entries({
      Host: 'x',
      Connection: 'close',
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    });
    socket.setTimeout(patienceMs, () => socket.destroy());
    const answer = new Promise((resolve) => {
      let first = '';
      socket.on('data', (chunk) => {
        if (first.length < 16) first += chunk.toString('latin1');
      });
      socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0)));
    });
    await this.send(
      socket,
      `${method} ${path} HTTP/1.1\r\n${head.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n${body}`,
    );
    const status = await answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    return status;
  }

  json(method, path, token, body) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    return this.request(method, path, headers, body === undefined ? '' : JSON.stringify(body));
  }
}
