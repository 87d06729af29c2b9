import { randomInt } from 'node:crypto';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The range of the ports that are chosen here. Systems take the ports of outgoing connections from 32 768 on (Linux) or
 * 49 152 on (RFC 6335 §6), and such a connection would hold the port of a server while that restarts.
 */
const FIRST_PORT = 16_000;
const LAST_PORT = 31_999;
/** The number of ports that are tried. */
const MOST_TRIES = 100;
/** The interval of looks at a port that is taken. */
const LOOK_MS = 100;

/** Returns whether a process listens on a port of this machine. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Returns a free port below those of outgoing connections: the wanted one, if it is free.
 *
 * @throws {Error} when no free port is found
 */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await isFree(wanted))) return wanted;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found from ${FIRST_PORT} to ${LAST_PORT}`);
}

/** Resolves when a port is free, or after `waitMs`. */
export async function untilFree(port: number, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!(await isFree(port)) && performance.now() < deadline) await sleep(LOOK_MS);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
