import { createHash } from 'node:crypto';
import { decodeCursor, encodeCursor } from '../../base/http/page.js';
import { printFilter } from '../../protocols/scim/filter/print.js';
import type { ListQuery } from '../../protocols/scim/messages/list-query.js';
import type { ResourceTypeDef } from '../../protocols/scim/schema/resource-types.js';
import { expiredCursor, invalidCount, invalidCursor } from '../../protocols/scim/scim.errors.js';
import type { CurrentDirectory } from './current-directory.js';
import type { ListPlace } from './list-order.js';

/** The life of a cursor in seconds (RFC 9865 `cursorTimeout`). */
export const CURSOR_SECONDS = 24 * 3600;

/** The state of a walk by cursor from page to page. */
export interface Walk {
  /** The row behind which the page begins. */
  readonly place: ListPlace;
  /** Resources on the pages before. */
  readonly listed: number;
  /** The number of matches, counted for the first page; null: it is known without counting. */
  readonly total: number | null;
}

interface Cursor {
  /** The id of the row behind which the page begins. Versions that skipped rows wrote a number. */
  a: string | number;
  /** The sort key of that row. */
  k?: string | null;
  s: number;
  c: number | null;
  /** The name of the list: a cursor is valid for its own list only. */
  q: string;
  n: number;
  t: number;
}

/** Returns a short name of a list. All pages of the same query of the same directory have the same name. */
export function listName(directory: CurrentDirectory, type: ResourceTypeDef, query: ListQuery): string {
  const filter = query.filter ? printFilter(query.filter) : '';
  const parts = [
    directory.tenantId,
    directory.id,
    type.name,
    filter,
    query.sortBy ?? '',
    query.sortOrder ?? '',
    query.count,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

/** Writes the cursor of the next page. */
export function writeCursor({ place, listed, total }: Walk, list: string, count: number): string {
  const key = place.key === undefined ? {} : { k: place.key };
  const cursor: Cursor = {
    a: place.id,
    ...key,
    s: listed,
    c: total,
    q: list,
    n: count,
    t: Math.floor(Date.now() / 1000),
  };
  return encodeCursor(cursor);
}

/**
 * Reads a cursor.
 *
 * @returns undefined for '', which asks for the first page
 * @throws {ScimRequestError} invalidCursor, invalidCount or expiredCursor (RFC 9865 §2.1)
 */
export function readCursor(text: string, list: string, count: number): Walk | undefined {
  if (text === '') return undefined;
  const cursor = decodeCursor(text) as Cursor;
  if (cursor.n !== count) throw invalidCount('count must be the same on every page.');
  if (cursor.q !== list) throw invalidCursor('This cursor belongs to another list.');
  const isOld = typeof cursor.a !== 'string' || cursor.t + CURSOR_SECONDS < Date.now() / 1000;
  if (isOld) throw expiredCursor('This cursor has expired; start again with the first page.');
  const key = cursor.k === undefined ? {} : { key: cursor.k };
  return { place: { id: cursor.a as string, ...key }, listed: cursor.s ?? 0, total: cursor.c ?? null };
}
