import type { Database } from '../base/database/database.js';
import type { ListTable } from './list-table.js';
import { SMALL_PAGE, type PageSource } from './page-sql.js';

/** Pages of more resources are seldom small. IdPs read 100 or 200 at a time. */
export const LIGHT_RESOURCES = 200;

/** How a page of small resources is read: with plain statements, of which no part counts bytes row by row. */
export interface LightColumns {
  /**
   * Returns the select list over the table.
   *
   * @param most SQL for the bytes of a document that is read. Of a larger one `doc` is null and `bytes` is its size.
   */
  readonly select: (most: string) => string;
  /** Reads what the rows show of other tables; undefined: nothing. */
  readonly relate?: (db: Database, owner: PageOwner, rows: LightRow[]) => Promise<Related | null>;
}

/** The tenant of a page, and the directories that it shows. */
export type PageOwner = readonly [tenantId: string, owners: readonly string[]];

/** What the rows of a page show of other tables. */
export interface Related {
  /** The bytes of it in the answer, at the most. */
  readonly bytes: number;
  /** What the rows have in common; null: nothing. */
  readonly common: string | null;
  /** The number of all rows of the list. */
  readonly total: number;
}

/** A row of a light page. */
export interface LightRow {
  id: string;
  doc: string | null;
  bytes: number | null;
  /** The ids of the groups that the row shows, with blanks between them; null: none. */
  groups: string | null;
}

/** A page that was read by {@link readLight}. */
export interface LightPage<Row> {
  readonly rows: Row[];
  readonly more: boolean;
  readonly related: Related | undefined;
}

/**
 * Reads a page in the order of ids. Nearly all pages of a full import are small, and cost this way less than half.
 *
 * @param source the page and one row behind it; no rows are skipped
 * @param params the parameters of its SQL
 * @returns null where the page is not small: it has to be read by its bytes
 */
export async function readLight<Row extends LightRow>(
  db: Database,
  table: ListTable,
  light: LightColumns,
  owner: PageOwner,
  { source, params }: { source: PageSource; params: unknown[] },
): Promise<LightPage<Row> | null> {
  // Documents within this limit are never more than a small page.
  const most = Math.floor(SMALL_PAGE / source.limit);
  const text = `select ${light.select(String(most))} from ${source.from} where ${source.where} order by ${source.by} limit ${source.limit}`;
  const found = (await db.shaped<Row>(text, params)).rows;
  const more = found.length === source.limit;
  const rows = more ? found.slice(0, -1) : found;
  let bytes = 0;
  for (const row of rows) bytes += row.doc?.length ?? row.bytes!;
  if (bytes > SMALL_PAGE) return null;
  if (rows.some((row) => row.doc === null) && !(await readRest(db, table, light, owner, rows))) return null;
  const related = rows.length === 0 ? undefined : await light.relate?.(db, owner, rows);
  if (related === null || bytes + (related?.bytes ?? 0) > SMALL_PAGE) return null;
  return { rows, more, related };
}

/** Reads the rows again whose documents were left out. Returns false where one of them has gone or grown. */
async function readRest<Row extends LightRow>(
  db: Database,
  table: ListTable,
  light: LightColumns,
  [tenantId, owners]: PageOwner,
  rows: Row[],
): Promise<boolean> {
  const left = rows.filter((row) => row.doc === null);
  const most = Math.max(...left.map((row) => row.bytes!));
  const text = `select ${light.select('$4')} from ${table.from} where ${table.visible} and ${table.id} = any($3)`;
  const read = await db.query<Row>(text, [tenantId, owners, left.map((row) => row.id), most]);
  const byId = new Map(read.rows.map((row) => [row.id, row]));
  for (const [place, { id, doc }] of rows.entries()) {
    if (doc !== null) continue;
    const whole = byId.get(id);
    if (whole === undefined || whole.doc === null) return false;
    rows[place] = whole;
  }
  return true;
}
