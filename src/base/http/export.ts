import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { InvalidFields } from '../errors/domain-error.js';
import { queryChoice } from './query.js';

type ExportFormat = 'json' | 'csv' | 'ndjson';

/** Returns the form of a list: `?format=`, else by the Accept header, else JSON pages. */
export function exportFormat(format: string | undefined, accept: string | undefined): ExportFormat {
  const chosen = queryChoice('format', format, ['json', 'csv', 'ndjson']);
  if (chosen !== undefined) return chosen;
  if (accept === undefined || accept.includes('application/json')) return 'json';
  if (accept.includes('text/csv')) return 'csv';
  return accept.includes('application/x-ndjson') ? 'ndjson' : 'json';
}

/** Excel then reads a CSV file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Whether a CSV file begins with a byte order mark: `?bom=true`.
 *
 * @throws {InvalidFields} for another value, and for a list that is no CSV
 */
export function exportBom(bom: string | undefined, format: ExportFormat): boolean {
  const asked = queryChoice('bom', bom, ['true', 'false']) === 'true';
  if (asked && format !== 'csv') throw new InvalidFields([{ field: 'bom', message: 'goes with format=csv' }]);
  return asked;
}

/** Sends a whole list while it is read, at the reader's speed. `bom` begins the file with a byte order mark. */
export async function sendExport(
  res: ServerResponse,
  format: 'csv' | 'ndjson',
  fileName: string,
  parts: AsyncIterable<string>,
  bom = false,
): Promise<void> {
  res.writeHead(200, {
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': `attachment; filename="${fileName}.${format}"`,
  });
  if (bom) res.write(BYTE_ORDER_MARK);
  await sendParts(res, parts);
}

/**
 * Writes the parts of an answer after its head, each when the reader has taken the part before. Between two parts only the part
 * is held: a slow reader keeps no database connection.
 */
export async function sendParts(res: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  for await (const part of parts) {
    if (res.destroyed) return;
    if (!res.write(part)) await drained(res);
  }
  res.end();
}

/** Waits until the response takes more, or its reader is gone; removes its listeners. */
async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } finally {
    over.abort();
  }
}

/** Characters that a spreadsheet skips before it looks for a formula. */
const PASSED_OVER = /^[\p{White_Space}\p{Cc}\p{Cf}]*/u;
/** Separators of lists in some countries and programs, and blanks at an end, which some programs remove. */
const QUOTED = /[",;|\t\r\n]|^\p{White_Space}|\p{White_Space}$/u;

/**
 * Returns a line of CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets an apostrophe before it: names come
 * from outside, and a list of them must not run code.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  let text = typeof value === 'string' ? value : JSON.stringify(value);
  if (isFormula(text)) text = `'${text}`;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets read full-width signs like plain ones. A tab or line end at the start is guarded as well. */
function isFormula(text: string): boolean {
  const [first = ''] = text.replace(PASSED_OVER, '');
  return /^[=+\-@]/.test(first.normalize('NFKC')) || /^[\t\r]/.test(text);
}
