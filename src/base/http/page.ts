import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CutRows } from '../database/byte-cut.js';
import { MalformedRequest, InvalidFields } from '../errors/domain-error.js';
import { queryText, type Query } from './query.js';

// Until the settings provide the shared key, cursors are valid in this process only.
let key: Buffer = randomBytes(32);
const MAC_BYTES = 12;

export function useCursorKey(shared: Buffer): void {
  key = shared;
}

/** Returns a position in a list as opaque URL-safe text with a signature. */
export function encodeCursor(value: object): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${macOf(body).toString('base64url')}`;
}

/** @throws {MalformedRequest} 400 for a text that `encodeCursor` did not make */
export function decodeCursor(text: string): unknown {
  const dot = text.indexOf('.');
  const body = text.slice(0, Math.max(dot, 0));
  // Compared as text: decoding would ignore characters without a meaning.
  const mac = Buffer.from(text.slice(dot + 1));
  if (dot < 1 || text.length > 4096 || !isMacOf(mac, body)) {
    throw new MalformedRequest('The cursor was not issued by this service.', 'invalid_cursor', {
      scimType: 'invalidCursor',
    });
  }
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
}

function isMacOf(mac: Buffer, body: string): boolean {
  const right = Buffer.from(macOf(body).toString('base64url'));
  return mac.length === right.length && timingSafeEqual(mac, right);
}

function macOf(body: string): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);
}

export const PAGE_OPTIONS = ['limit', 'cursor'] as const;
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** The requested part of a list: at most `limit` entries after `after`. */
export interface PageRequest {
  limit: number;
  /** The `next` of the previous page; null on the first page. */
  after: string | null;
  /** The list and its filters, to which a cursor belongs. */
  list: string;
}

/** A page of a list, with the position of the next one. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/**
 * Reads `limit` and `cursor`.
 *
 * @param list the list and its filters. A cursor of another list would skip and repeat entries.
 * @throws {InvalidFields} 422 for a `limit` outside 1 to 200
 * @throws {MalformedRequest} 400 for a cursor of another list
 */
export function readPage(query: Query, list = ''): PageRequest {
  const limitText = queryText(query, 'limit');
  const limit = limitText === undefined ? DEFAULT_LIMIT : Number(limitText);
  if (limitText !== undefined && !(/^\d{1,4}$/.test(limitText) && limit >= 1 && limit <= MAX_LIMIT)) {
    throw new InvalidFields([{ field: 'limit', message: `must be a whole number from 1 to ${MAX_LIMIT}` }]);
  }
  const cursor = queryText(query, 'cursor');
  if (cursor === undefined || cursor === '') return { limit, after: null, list };
  const place = decodeCursor(cursor) as { a?: unknown; l?: unknown } | null;
  if (typeof place?.a !== 'string' || place.l !== list) {
    throw new MalformedRequest('The cursor belongs to another list or to other filters.', 'invalid_cursor');
  }
  return { limit, after: place.a, list };
}

/**
 * Returns a page from `limit + 1` rows: the last one only shows that a page follows. Rows that were cut at a number of bytes
 * always have a next page. `keyOf` returns the text from which the list continues.
 */
export function pageOf<Row, T>(
  request: PageRequest,
  found: readonly Row[] | CutRows<Row>,
  keyOf: (row: Row) => string,
  shape: (row: Row) => T,
): Page<T> {
  const { rows, cut } = 'cut' in found ? found : { rows: found, cut: false };
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const next =
    (cut || rows.length > request.limit) && last !== undefined
      ? encodeCursor({ a: keyOf(last), l: request.list })
      : null;
  return { data: shown.map(shape), next_cursor: next };
}
