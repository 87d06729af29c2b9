import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { MalformedRequest } from '../errors/domain-error.js';

// Until the settings provide the shared key, cursors are valid in this process only.
let key: Buffer = randomBytes(32);
const MAC_BYTES = 12;

/** Sets the key for the signatures of cursors; called once, before the first request. */
export function useCursorKey(shared: Buffer): void {
  key = shared;
}

/** Returns a position in a list as opaque URL-safe text with a signature. */
export function encodeCursor(value: object): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${macOf(body).toString('base64url')}`;
}

/**
 * Reads a cursor.
 *
 * @throws {MalformedRequest} 400 for a text that `encodeCursor` did not make
 */
export function decodeCursor(text: string): unknown {
  const dot = text.indexOf('.');
  const body = text.slice(0, Math.max(dot, 0));
  // Compared as text: decoding would ignore characters without a meaning.
  const mac = Buffer.from(text.slice(dot + 1));
  if (dot < 1 || text.length > 4096 || !isMacOf(mac, body)) {
    throw new MalformedRequest('The cursor is not one that this service gave out.', 'invalid_cursor', {
      scimType: 'invalidCursor',
    });
  }
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
}

function isMacOf(mac: Buffer, body: string): boolean {
  const right = Buffer.from(macOf(body).toString('base64url'));
  return mac.length === right.length && timingSafeEqual(mac, right);
}

function macOf(body: string): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);
}
