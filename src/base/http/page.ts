import type { CutRows } from '../database/byte-cut.js';
import { InvalidFields, MalformedRequest } from '../errors/domain-error.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { queryText, type Query } from './query.js';

/** The names of the options that every list takes. */
export const PAGE_OPTIONS = ['limit', 'cursor'] as const;
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** Which part of a list is asked for: at most `limit` entries, after the one that `after` names. */
export interface PageRequest {
  limit: number;
  /** What the last page's `next` gave; null on the first page. */
  after: string | null;
  /** The list and its filters, to which a cursor belongs. */
  list: string;
}

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/**
 * Reads `limit` (1 to 200, else 422) and `cursor`. `list` names the list and its filters: a cursor of another list is
 * 400 `invalid_cursor`, since it would skip and repeat entries without a word.
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
 * One page out of `limit + 1` rows: the one too many only says that there is a next page. Rows that were cut at a
 * number of bytes have a next page however few they are. `keyOf` gives the text by which the list goes on.
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
