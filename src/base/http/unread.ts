import type { IncomingMessage } from 'node:http';
import { isCrumbs } from './byte-collector.js';

/**
 * Reads the rest of a refused body and drops it, so that the sender sees the answer and not a broken connection. Closes
 * the connection of a sender that does not end, or sends pieces of a few bytes.
 *
 * @param read bytes that have arrived so far
 * @param most bytes of a body that are read at most
 */
export function discard(req: IncomingMessage, read: number, most: number): void {
  let rest = read;
  let pieces = 0;
  req.on('data', (chunk: Buffer) => {
    rest += chunk.length;
    if (rest > most || isCrumbs(++pieces, rest - read)) req.destroy();
  });
  req.resume();
}

/**
 * Drops the bytes that have arrived and stops reading. A body in pieces of one byte would otherwise pass the streams as
 * thousands of pieces. The answer has to end the connection.
 */
export function dropRest(req: IncomingMessage): void {
  req.pause();
  req.push = () => false;
}
