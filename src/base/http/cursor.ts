import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { MalformedRequest } from '../errors/domain-error.js';

// Until the settings bring the key that all processes share, cursors are good within this process.
let key: Buffer = randomBytes(32);
const MAC_BYTES = 12;

/** Sets the key that cursors are signed with; called once, before the first request. */
export function useCursorKey(shared: Buffer): void {
  key = shared;
}

/** A place in a list, as opaque text of URL-safe characters. It is signed: what comes back is what we gave out. */
export function encodeCursor(value: object): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${macOf(body).toString('base64url')}`;
}

/** Reads a cursor; 400 `invalid_cursor` for anything that `encodeCursor` did not make. */
export function decodeCursor(text: string): unknown {
  const dot = text.indexOf('.');
  const body = text.slice(0, Math.max(dot, 0));
  // As text: decoding would overlook characters that mean nothing.
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
