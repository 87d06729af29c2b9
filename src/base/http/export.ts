import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { queryChoice } from './query.js';

export type ExportFormat = 'json' | 'csv' | 'ndjson';

/** The form of a list: `?format=`, else what the Accept header asks for, else JSON pages. */
export function exportFormat(format: string | undefined, accept: string | undefined): ExportFormat {
  const chosen = queryChoice('format', format, ['json', 'csv', 'ndjson']);
  if (chosen !== undefined) return chosen;
  if (accept === undefined || accept.includes('application/json')) return 'json';
  if (accept.includes('text/csv')) return 'csv';
  return accept.includes('application/x-ndjson') ? 'ndjson' : 'json';
}

/** Sends a whole list as it is read, at the reader's pace. */
export async function sendExport(
  res: ServerResponse,
  format: 'csv' | 'ndjson',
  fileName: string,
  parts: AsyncIterable<string>,
): Promise<void> {
  res.writeHead(200, {
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': `attachment; filename="${fileName}.${format}"`,
  });
  await sendParts(res, parts);
}

/**
 * Writes the parts of an answer whose head is written, each when the reader has taken those before it. Between two
 * parts nothing is held but the part: a reader who stops reading keeps no connection of the database.
 */
export async function sendParts(res: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  for await (const part of parts) {
    if (res.destroyed) return;
    if (!res.write(part)) await drained(res);
  }
  res.end();
}

/** Waits until the response takes more, or its reader is gone; leaves no listener behind. */
async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } finally {
    over.abort();
  }
}
