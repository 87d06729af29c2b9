import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../ids.js';
import { boundConnections } from './connection-bound.js';

/** The most bytes that the head of a request may have; given to `http.createServer`. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** No byte either way for so long: longer than any statement, and than a proxy keeps an idle connection. */
const STALLED_MS = 90_000;

/** How long a caller may take to hear why the connection ends. */
const GOODBYE_MS = 1000;
/** How often connections are looked at for the time limits below; given to `http.createServer`. */
export const CHECK_EVERY_MS = 5000;

/** Time limits of connections: a slow or silent caller must not hold one for ever. */
export function tuneServer(server: Server): void {
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  // Longer than the usual proxy's (60 s): else the proxy sends a request just as we hang up.
  server.keepAliveTimeout = 65_000;
  server.maxRequestsPerSocket = 0;
  // A reader that stops reading keeps its whole answer in our memory.
  server.setTimeout(STALLED_MS, (socket) => socket.destroy());
  boundConnections(server);
  server.on('clientError', answerBrokenRequest);
  // Express would answer CONNECT and upgrades in its own way or not at all.
  server.on('connect', (_req: IncomingMessage, socket: Socket) =>
    writeRaw(socket, '405 Method Not Allowed', '\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE'),
  );
}

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') writeRaw(socket, '431 Request Header Fields Too Large');
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') writeRaw(socket, '408 Request Timeout');
  else if (error.code === 'HPE_INVALID_METHOD')
    writeRaw(socket, '405 Method Not Allowed', '\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE');
  else writeRaw(socket, '400 Bad Request');
}

function writeRaw(socket: Socket, status: string, more = ''): void {
  const title = status.slice(4);
  const body = JSON.stringify({ type: 'about:blank', title, status: Number(status.slice(0, 3)) });
  // Whoever does not hang up is hung up on: a connection that is half open would keep what its request has taken.
  const patience = setTimeout(() => socket.destroy(), GOODBYE_MS).unref();
  socket.once('close', () => clearTimeout(patience));
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nX-Request-Id: ${newId('req')}${more}\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
