import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { BridgeRequest } from './request.js';

/** The most open connections of a process. Each takes about 15 kB, and 64 KiB more while it sends a body. */
export const MAX_CONNECTIONS = 2_000;

/** Connections with a valid credential. */
const proven = new WeakSet<Socket>();

/**
 * Notes that a request came with a valid credential, session or sign-in. Connections without one are closed first when
 * there are too many, and requests without one do not slow down background work.
 */
export function proveCaller(req: BridgeRequest): void {
  req.proven = true;
  proven.add(req.socket);
}

/**
 * Bounds the open connections of a server. When there are too many, one is closed for each that is opened: first the
 * oldest without a valid credential, then the oldest of the others. A flood of silent connections displaces itself;
 * refusing new connections would block ordinary callers.
 */
export function boundConnections(server: Server, max = MAX_CONNECTIONS): void {
  // A set keeps the order of insertion.
  const strangers = new Set<Socket>();
  const known = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    if (strangers.size + known.size >= max) displaceOne(strangers, known);
    strangers.add(socket);
    socket.once('close', () => {
      strangers.delete(socket);
      known.delete(socket);
    });
  });
}

function displaceOne(strangers: Set<Socket>, known: Set<Socket>): void {
  for (const socket of strangers) {
    strangers.delete(socket);
    if (!proven.has(socket)) return void socket.destroy();
    known.add(socket);
  }
  for (const socket of known) {
    known.delete(socket);
    return void socket.destroy();
  }
}
