import type { ServerResponse } from 'node:http';
import { scimMediaType, sendBody } from '../../base/http/answer.js';

/** Sends a resource or message as JSON text. */
export function answerScim(
  res: ServerResponse,
  status: number,
  text: string | Buffer,
  etag?: string,
  location?: string,
): void {
  // Bytes take half the memory of the text while a slow client reads.
  const body = typeof text === 'string' && text.length > 64 * 1024 ? Buffer.from(text) : text;
  const headers: Record<string, string> = { 'Content-Type': scimMediaType(res.req.headers.accept) };
  if (etag !== undefined) headers['ETag'] = etag;
  if (location !== undefined) headers['Location'] = location;
  sendBody(res, status, body, headers);
}

/** Sends an answer without a body: 204, or 304 with the current entity tag. */
export function answerEmpty(res: ServerResponse, status: 204 | 304, etag?: string): void {
  res.writeHead(status, etag === undefined ? {} : { ETag: etag });
  res.end();
}
