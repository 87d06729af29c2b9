import type { Database } from '../../base/database/database.js';
import type { ListTable } from './list-table.js';
import { SMALL_PAGE, type PageSource } from './page-sql.js';

/** Pages of more resources are seldom small. IdPs read 100 or 200 at a time. */
export const LIGHT_RESOURCES = 200;

/** How a page of small resources is read: by one plain statement, of which no part counts bytes row by row. */
export interface LightColumns {
  /**
   * Returns SQL for a row as a line of text. One text for the page costs a third of a row for each resource.
   *
   * @param most SQL for the bytes of a document that is read. Of a larger one the line has no document, but its size
   */
  readonly line: (most: string) => string;
  /** Reads a line. */
  readonly read: (line: string) => LightRow;
  /** What the rows show of other tables; undefined: nothing. */
  readonly related?: RelatedColumns;
}

/** What the rows of a page show of other tables, in the statement of the page. */
export interface RelatedColumns {
  /** The select list over {@link joins}. */
  readonly columns: string;
  /** Joins to the page `p`, which has the `first` and the `last` id. `$1` is the tenant, `$2` the directories. */
  readonly joins: string;
  /** Adds what was found to the rows. Null: it is more than a small page holds. */
  readonly add: (db: Database, owner: PageOwner, rows: LightRow[], found: QueriedPage) => Promise<Related | null>;
}

/** The tenant of a page, and the directories that it shows. */
export type PageOwner = readonly [tenantId: string, owners: readonly string[]];

/** The row that the statement of a page gives: the lines of its rows, and the columns of what is related to them. */
export type QueriedPage = Record<string, string | number | null>;

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
  const [page] = (await db.shaped<QueriedPage>(pageText(light, source), params)).rows;
  const lines = page!['lines'];
  if (typeof lines !== 'string') return { rows: [], more: false, related: undefined };
  const found = lines.split('\n').map(light.read);
  const more = found.length === source.limit;
  const rows = more ? found.slice(0, -1) : found;
  let bytes = 0;
  for (const row of rows) bytes += row.doc?.length ?? row.bytes!;
  if (bytes > SMALL_PAGE) return null;
  if (rows.some((row) => row.doc === null) && !(await readRest(db, table, light, owner, rows))) return null;
  const related = await light.related?.add(db, owner, rows, page!);
  if (related === null || bytes + (related?.bytes ?? 0) > SMALL_PAGE) return null;
  // The lines have the columns of `Row`, as `light` states them.
  return { rows: rows as Row[], more, related };
}

/** Callers choose the number of resources, and little else of the text. */
const MOST_TEXTS = 32;
const texts = new WeakMap<LightColumns, Map<string, string>>();

/** Returns the statement of a page. To make its 4 KB anew, and to find its name by them, costs as much as ten rows. */
function pageText(light: LightColumns, source: PageSource): string {
  const known = texts.get(light) ?? new Map<string, string>();
  texts.set(light, known);
  const key = `${source.limit} ${source.from} ${source.by} ${source.where}`;
  let text = known.get(key);
  if (text === undefined) {
    if (known.size >= MOST_TEXTS) known.clear();
    text = newText(light, source);
    known.set(key, text);
  }
  return text;
}

function newText({ line, related }: LightColumns, { from, id, where, by, limit }: PageSource): string {
  // Documents within this limit are never more than a small page.
  const most = String(Math.floor(SMALL_PAGE / limit));
  return `select p.lines${related ? `, ${related.columns}` : ''}
    from (select string_agg(r.line, chr(10)) as lines, min(r.id) as first, max(r.id) as last
      from (select ${id} as id, ${line(most)} as line from ${from} where ${where} order by ${by} limit ${limit}) r) p
    ${related?.joins ?? ''}`;
}

/** Reads the rows again whose documents were left out. Returns false where one of them has gone or grown. */
async function readRest(
  db: Database,
  table: ListTable,
  light: LightColumns,
  [tenantId, owners]: PageOwner,
  rows: LightRow[],
): Promise<boolean> {
  const left = rows.filter((row) => row.doc === null);
  const most = Math.max(...left.map((row) => row.bytes!));
  const text = `select ${light.line('$4')} as line from ${table.from} where ${table.visible} and ${table.id} = any($3)`;
  const read = await db.query<{ line: string }>(text, [tenantId, owners, left.map((row) => row.id), most]);
  const byId = new Map(read.rows.map(({ line }) => light.read(line)).map((row) => [row.id, row]));
  for (const [place, { id, doc }] of rows.entries()) {
    if (doc !== null) continue;
    const whole = byId.get(id);
    if (whole === undefined || whole.doc === null) return false;
    rows[place] = whole;
  }
  return true;
}
