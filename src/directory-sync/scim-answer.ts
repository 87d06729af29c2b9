import type { ServerResponse } from 'node:http';

/** The media type of every SCIM answer (RFC 7644 §3.1). */
export const SCIM_MEDIA_TYPE = 'application/scim+json';

/** Sends a prepared resource or message. */
export function answerScim(res: ServerResponse, status: number, text: string, etag?: string, location?: string): void {
  // As bytes at once: the text, which is twice as large, is free while a slow reader takes its time.
  const body = text.length > 64 * 1024 ? Buffer.from(text) : text;
  const headers: Record<string, string | number> = {
    'Content-Type': SCIM_MEDIA_TYPE,
    'Content-Length': Buffer.byteLength(body),
  };
  if (etag !== undefined) headers['ETag'] = etag;
  if (location !== undefined) headers['Location'] = location;
  res.writeHead(status, headers);
  res.end(body);
}

/** Answers without a body: 204, or 304 with the tag that still holds. */
export function answerEmpty(res: ServerResponse, status: 204 | 304, etag?: string): void {
  res.writeHead(status, etag === undefined ? {} : { ETag: etag });
  res.end();
}
