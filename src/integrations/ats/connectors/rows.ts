import { AtsFailure } from '../api/ats-api.js';
import type { AtsPage } from './ats-records.js';
import { NotUnderstood } from './connector.js';
import { idOf, objectOf, type RemoteObject } from './remote-json.js';

type LeftOut = NonNullable<AtsPage<unknown>['leftOut']>[number];

/** Rows of a page that were understood, and the others. */
export interface ReadRows<R> {
  records: R[];
  leftOut: LeftOut[];
}

/**
 * Reads the rows of a page. A row that is not understood is left out with its reason, and stops nothing.
 *
 * @param read throws `NotUnderstood` for such a row
 */
export async function readRows<R>(
  rows: readonly unknown[],
  read: (row: RemoteObject) => R | Promise<R>,
): Promise<ReadRows<R>> {
  const records: R[] = [];
  const leftOut: LeftOut[] = [];
  for (const value of rows) {
    const row = objectOf(value);
    try {
      if (row === null) throw new NotUnderstood('The row is no object.');
      const record = read(row);
      // Most rows are read at once: a wait would cost more than the reading.
      records.push(record instanceof Promise ? await record : record);
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      leftOut.push({ remoteId: idOf(row?.['id']), reason: error.message });
    }
  }
  return { records, leftOut };
}

/**
 * Reads one record. What is not understood of it is a failure of the call.
 *
 * @throws {AtsFailure} `malformed`
 */
export function readOne<R>(read: () => R): R {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotUnderstood) throw new AtsFailure('malformed', 'not_understood', error.message);
    throw error;
  }
}

/** No list within one record has this number of pages. */
const MOST_PAGES = 200;

/**
 * Reads all pages of a list that belongs to one record.
 *
 * @param title the ATS, for messages
 * @param page reads one page, from a cursor; null: the first one
 */
export async function allRows(
  title: string,
  page: (cursor: string | null) => Promise<{ rows: readonly unknown[]; next: string | null }>,
): Promise<unknown[]> {
  const all: unknown[] = [];
  const seen = new Set<string>();
  for (let cursor: string | null = null; ;) {
    const { rows, next } = await page(cursor);
    all.push(...rows);
    if (next === null) return all;
    if (seen.has(next) || seen.size === MOST_PAGES) {
      throw new AtsFailure('malformed', 'cursor_repeats', `The pages of ${title} do not end.`);
    }
    seen.add(next);
    cursor = next;
  }
}
