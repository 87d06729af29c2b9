import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureVerdict } from './connector.js';

/** A SHA-256 in hexadecimal digits. */
const HEX = /^[0-9a-f]{64}$/i;

/**
 * Compares a signature with the HMAC-SHA256 of a text under each secret. The time does not depend on where they differ.
 *
 * @param signature hexadecimal digits
 */
export function hmacVerdictOf(
  signature: string,
  signed: string | Buffer,
  secrets: readonly string[],
): SignatureVerdict {
  if (!HEX.test(signature)) return 'invalid';
  const given = Buffer.from(signature, 'hex');
  let fits = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(signed).digest();
    fits = timingSafeEqual(expected, given) || fits;
  }
  return fits ? 'valid' : 'invalid';
}

/** Returns the headers of HTTP Basic with a key as user and an empty password. */
export function basicKey(key: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${key}:`, 'utf8').toString('base64')}` };
}
