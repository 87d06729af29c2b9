import type { ServerResponse } from 'node:http';

/**
 * Sends a prepared text. Express's own way (etag, content type guessing, a second look at the length) costs several
 * times as much. Headers that were set before (`res.setHeader`) go along.
 */
export function sendJson(
  res: ServerResponse,
  status: number,
  text: string,
  contentType = 'application/json; charset=utf-8',
  headers?: Record<string, string>,
): void {
  const own: Record<string, string | number> = {
    ...headers,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
  };
  res.writeHead(status, own);
  res.end(text);
}

/** Sends no body: 204, and 304. */
export function sendEmpty(res: ServerResponse, status: number): void {
  res.writeHead(status);
  res.end();
}
