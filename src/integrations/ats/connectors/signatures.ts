import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
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

/** Compares a token with each secret itself, where a vendor does not sign. The time does not depend on where they differ. */
export function tokenVerdictOf(token: string, secrets: readonly string[]): SignatureVerdict {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const given = digest(token);
  const fitting = secrets.filter((secret) => timingSafeEqual(digest(secret), given));
  return fitting.length > 0 ? 'valid' : 'invalid';
}

/** Returns the headers of HTTP Basic with a key as user and an empty password. */
export function basicKey(key: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${key}:`, 'utf8').toString('base64')}` };
}
