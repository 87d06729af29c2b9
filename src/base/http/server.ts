import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../ids.js';
import { boundConnections } from './connection-bound.js';

/** The most bytes of the head of a request; passed to `http.createServer`. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** The time limit for a silent connection: longer than any statement, and than a proxy keeps an idle connection. */
const STALLED_MS = 90_000;

/** The time in which a caller can read why the connection ends. */
const GOODBYE_MS = 1000;
/** The interval of checks of the time limits below; passed to `http.createServer`. */
export const CHECK_EVERY_MS = 5000;

/** Sets the time limits of connections: a slow or silent caller must not hold one for ever. */
export function tuneServer(server: Server): void {
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  // Longer than that of usual proxies (60 s): otherwise a proxy sends a request while the service closes.
  server.keepAliveTimeout = 65_000;
  server.maxRequestsPerSocket = 0;
  // A reader that stops reading keeps its whole answer in memory.
  server.setTimeout(STALLED_MS, (socket) => socket.destroy());
  boundConnections(server);
  server.on('clientError', answerBrokenRequest);
  // Express answers CONNECT and upgrades in its own way or not at all.
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
  // A half-open connection keeps the memory of its request, so it is closed after this time.
  const patience = setTimeout(() => socket.destroy(), GOODBYE_MS).unref();
  socket.once('close', () => clearTimeout(patience));
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nX-Request-Id: ${newId('req')}${more}\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
