import type { IncomingMessage } from 'node:http';
import { PresentedToken } from '../../base/crypto/tokens.js';
import type { Noted } from '../../base/http/request.js';
import { SeveralCredentials } from './tenants.errors.js';

type Asked = IncomingMessage & { originalUrl: string } & Pick<Noted, 'presented'>;

/**
 * Returns the bearer token of a request, or null. It is read once, and parsed once.
 *
 * @throws {SeveralCredentials} when the request has more than one credential
 */
export function bearerToken(req: Asked): PresentedToken | null {
  if (req.presented === undefined) {
    const text = bearerText(req);
    req.presented = text === null ? null : new PresentedToken(text);
  }
  return req.presented;
}

/**
 * The text of the bearer token. Node keeps the first of several Authorization headers and drops the others
 * without a word, so they are counted in what really came; a second credential in the query is refused as well.
 */
function bearerText(req: Asked): string | null {
  const header = req.headers.authorization;
  const inQuery = req.originalUrl.includes('access_token=');
  if (header === undefined) return null;
  if (inQuery || headerCount(req.rawHeaders) > 1) throw new SeveralCredentials();
  // "Bearer" in any case (RFC 9110 §11.1), then one token68 and nothing else.
  if (header.length < 8 || header.charCodeAt(6) !== 0x20 || header.slice(0, 6).toLowerCase() !== 'bearer') return null;
  const token = header.slice(7).trim();
  if (token.includes(',') && /\bbearer\b/i.test(token)) throw new SeveralCredentials();
  return token === '' ? null : token;
}

function headerCount(raw: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') count++;
  }
  return count;
}
