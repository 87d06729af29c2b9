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
  for await (const part of parts) {
    if (res.destroyed) return;
    if (!res.write(part)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
  }
  res.end();
}
