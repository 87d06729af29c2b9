import type { ServerResponse } from 'node:http';
import { constants, gzip } from 'node:zlib';
import { isScimPath } from './request.js';

/** JSON is always UTF-8, and its media types have no charset parameter (RFC 8259 §11). */
export const JSON_TYPE = 'application/json';

/** An answer that is JSON text already: a part of it is sent as received. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Smaller answers are not compressed: the gzip header and the time outweigh the saved bytes. */
const GZIP_FROM = 1024;
// Level 1 is three times as fast as the default and about 15 % larger for a page of users.
const GZIP = { level: constants.Z_BEST_SPEED };

/**
 * Sends JSON text. Express's own way (etag, content type, length) costs several times as much. Headers that were set
 * before (`res.setHeader`) are sent.
 */
export function sendJson(
  res: ServerResponse,
  status: number,
  text: string,
  contentType = JSON_TYPE,
  headers?: Record<string, string>,
): void {
  sendBody(res, status, text, { 'Content-Type': contentType, ...headers });
}

/**
 * Sends a body, compressed where the client accepts gzip and the body is large enough.
 *
 * Only answers to a credential in `Authorization` are compressed. A browser sends a cookie automatically, so the length of
 * a compressed answer could reveal its content to another site (BREACH).
 */
export function sendBody(
  res: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string>,
): void {
  const length = Buffer.byteLength(body);
  if (!isCompressible(res, length)) {
    res.writeHead(status, { 'Content-Length': length, ...headers });
    res.end(body);
    return;
  }
  if (!acceptsGzip(res.req.headers['accept-encoding'])) {
    res.writeHead(status, { Vary: 'Accept-Encoding', 'Content-Length': length, ...headers });
    res.end(body);
    return;
  }
  gzip(body, GZIP, (error, compressed) => {
    if (res.closed || res.headersSent) return;
    const own: Record<string, string | number> = { Vary: 'Accept-Encoding', ...headers };
    if (error === null) own['Content-Encoding'] = 'gzip';
    own['Content-Length'] = error === null ? compressed.length : length;
    res.writeHead(status, own);
    res.end(error === null ? compressed : body);
  });
}

/**
 * Returns whether an answer may be compressed. The answer to a POST can contain a secret, and is stored for its
 * Idempotency-Key as it is written.
 */
function isCompressible({ req }: ServerResponse, length: number): boolean {
  if (length <= GZIP_FROM || req.headers.authorization === undefined) return false;
  return req.method === 'GET' || req.method === 'HEAD' || isScimPath(req.url ?? '');
}

/** Returns whether an `Accept-Encoding` header accepts gzip (RFC 9110 §12.5.3). */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  for (const part of header.split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    if (coding !== 'gzip' && coding !== 'x-gzip') continue;
    return !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  }
  return false;
}
