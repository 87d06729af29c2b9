import { detached } from '../../base/characters.js';
import { MAX_PAGE_BYTES } from '../../base/database/byte-cut.js';
import type { Database } from '../../base/database/database.js';
import type { AnswerShare } from '../../base/http/answer-budget.js';
import type { BoundFilter } from '../../protocols/scim/filter/bound.js';
import type { ListQuery } from '../../protocols/scim/messages/list-query.js';
import {
  type ListTable,
  SMALL_PAGE,
  type PageSource,
  type ListPlace,
  type Walk,
  type ListOrder,
  FEW_RESOURCES,
  pageSql,
  type ListColumns,
  type PageRow,
} from './page-sql.js';
import type { CurrentDirectory } from './scim-request.js';

/** IdPs read 100 or 200 resources at a time. Larger pages are rarely light. */
const LIGHT_RESOURCES = 200;

/** How a page of small resources is read: by one plain statement, without counting bytes row by row. */
export interface LightColumns {
  /**
   * Returns SQL for a row as a line of text. One text for the page costs a third of a row for each resource.
   *
   * @param most SQL for the largest document that is read. A larger one is left out, with its size in the line
   */
  readonly line: (most: string) => string;
  readonly read: (line: string) => LightRow;
  readonly related?: RelatedColumns;
}

export interface RelatedColumns {
  /** The select list over {@link joins}. */
  readonly columns: string;
  /** Joins to the page `p`, which has the `first` and the `last` id. `$1` is the tenant, `$2` the directories. */
  readonly joins: string;
  /** Adds the found values to the rows. Null when they exceed a small page. */
  readonly add: (db: Database, owner: PageOwner, rows: LightRow[], found: QueriedPage) => Promise<Related | null>;
}

export type PageOwner = readonly [tenantId: string, owners: readonly string[]];

export type QueriedPage = Record<string, string | number | null>;

export interface Related {
  readonly bytes: number;
  readonly common: string | null;
  readonly total: number;
}

export interface LightRow {
  id: string;
  doc: string | null;
  bytes: number | null;
  /** Ids with blanks between them; null when the row shows no groups. */
  groups: string | null;
}

interface LightPage<Row> {
  readonly rows: Row[];
  readonly more: boolean;
  readonly related: Related | undefined;
}

/**
 * Reads a page in the order of ids. Nearly all pages of a full import are small, and cost this way less than half.
 *
 * @param source the page and one row after it; no rows are skipped
 * @returns null where the page is not small: it has to be read by its bytes
 */
async function readLight<Row extends LightRow>(
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

/** Callers choose little of the text except the number of resources. */
const MOST_TEXTS = 32;
const texts = new WeakMap<LightColumns, Map<string, string>>();

/** Caches the statement of a page: making its 4 KB, and finding its name by them, costs as much as ten rows. */
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
  // Documents within this limit never exceed a small page.
  const most = String(Math.floor(SMALL_PAGE / limit));
  return `select p.lines${related ? `, ${related.columns}` : ''}
    from (select string_agg(r.line, chr(10)) as lines, min(r.id) as first, max(r.id) as last
      from (select ${id} as id, ${line(most)} as line from ${from} where ${where} order by ${by} limit ${limit}) r) p
    ${related?.joins ?? ''}`;
}

/** Reads rows whose documents were left out. Returns false where one of them was deleted or has grown. */
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

interface WalkMarks {
  readonly ends: Map<number, ListPlace>;
  /** The walk has continued after another walk of the same list began. */
  goesOn: boolean;
  until: number;
}

/** Marks of one walk. A client repeats a request whose answer was lost, and rarely requests older pages. */
const MARKS = 4;
const WALKS = 8;

/**
 * The last rows of pages, for clients that read a list by increasing `startIndex` (most do). The next page starts after
 * the row of the mark: it costs as much as the first page, and deleted rows shift no other row. Marks are in memory.
 * Without a mark, rows are skipped.
 *
 * A list has one caller and one query (directory, filter, order, page size). Requests do not show their walk. A first
 * page begins a walk. Where several walks have a mark at one `startIndex`, the oldest walk that continues is used. No
 * row is left out, and at worst a row is shown twice. An older walk that has not continued counts as abandoned.
 */
export class PageMarks {
  private readonly lists = new Map<string, WalkMarks[]>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly lifetimeMs = 10 * 60_000,
    private readonly capacity = 5000,
  ) {}

  begin(list: string): WalkMarks {
    const walk: WalkMarks = { ends: new Map(), goesOn: false, until: this.now() + this.lifetimeMs };
    const walks = this.alive(list);
    this.keep(list, [...walks, walk].slice(-WALKS));
    return walk;
  }

  /** Returns the walk that has reached `startIndex`, or undefined. */
  find(list: string, startIndex: number): WalkMarks | undefined {
    const walks = this.alive(list);
    const here = walks.filter((walk) => walk.ends.has(startIndex));
    const found = here.find((walk) => walk.goesOn) ?? here.at(-1);
    if (found !== undefined && found !== walks.at(-1)) found.goesOn = true;
    return found;
  }

  put(walk: WalkMarks, startIndex: number, place: ListPlace): void {
    walk.until = this.now() + this.lifetimeMs;
    walk.ends.delete(startIndex);
    walk.ends.set(startIndex, kept(place));
    if (walk.ends.size > MARKS) walk.ends.delete(walk.ends.keys().next().value!);
  }

  private alive(list: string): WalkMarks[] {
    return (this.lists.get(list) ?? []).filter((walk) => walk.until > this.now());
  }

  private keep(list: string, walks: WalkMarks[]): void {
    this.lists.delete(list);
    if (this.lists.size >= this.capacity) this.lists.delete(this.lists.keys().next().value!);
    this.lists.set(list, walks);
  }
}

/** Copies id and key out of the text of the page, which the marks would otherwise keep in memory. */
function kept({ id, key }: ListPlace): ListPlace {
  if (key === undefined) return { id: detached(id) };
  return { id: detached(id), key: key === null ? null : detached(key) };
}

/** Rows before a page that an ordinary request skips. A later page is a search. */
const COUNTED_START = 1_000;

export interface ListAsk {
  readonly directory: CurrentDirectory;
  readonly query: ListQuery;
  readonly share: AnswerShare;
}

export interface ListShapes {
  /** For a filter that finds few rows through an index. */
  readonly few: ListColumns;
  readonly many: ListColumns;
  readonly light?: LightColumns;
}

export interface ListFilter {
  readonly bound: BoundFilter | null;
  readonly selective: boolean;
  readonly where: string;
  readonly params: unknown[];
}

export interface PageStart {
  readonly byIndex: boolean;
  readonly cursor: Walk | undefined;
  readonly marks: WalkMarks | undefined;
  readonly place: ListPlace | undefined;
  readonly offset: number;
}

export interface PageRows<Row> {
  readonly rows: Row[];
  readonly more: boolean;
  readonly total: number | null;
  readonly common: string | null | undefined;
  /** The page has one row, which is larger than a page and was not read whole. */
  readonly large: boolean;
}

const NO_ROWS = { rows: [], more: false, total: null, common: undefined, large: false };

export async function readPageRows<Row extends PageRow>(
  db: Database,
  table: ListTable,
  columns: ListShapes,
  { directory, query, share }: ListAsk,
  { filter, order, start }: { filter: ListFilter; order: ListOrder; start: PageStart },
): Promise<PageRows<Row>> {
  if (query.count === 0) return NO_ROWS;
  const params = [...filter.params];
  const isDeep = start.offset > COUNTED_START;
  const behind = start.place === undefined ? '' : ` and ${order.behind(start.place, params)}`;
  const source: PageSource = {
    from: table.from,
    id: table.id,
    where: filter.where + behind,
    by: order.by,
    key: order.key,
    // Both numbers are literals: for a parameter the planner assumes a tenth of the table.
    limit: query.count + 1,
    offset: start.offset,
    exactTotal: isDeep && table.exactTotal === true && order.key === null ? (wholeTotal(table, filter) ?? null) : null,
    idsFirst: start.offset > 0 || !order.indexed,
  };
  const search = filter.bound === null ? !order.indexed || isDeep : !filter.selective;
  const read = async (bytes: number) => {
    const total = source.exactTotal === null ? (wholeTotal(table, filter) ?? null) : '(select n from whole)';
    const text = pageSql(filter.selective ? columns.few : columns.many, total, source, bytes);
    return (await (search ? db.search<Row>(text, params) : db.shaped<Row>(text, params))).rows;
  };
  const inOrder = filter.bound === null && order.key === null && !source.idsFirst;
  if (columns.light !== undefined && inOrder && query.count <= LIGHT_RESOURCES) {
    const owner = [directory.tenantId, directory.owners] as const;
    const page = await readLight<Row & LightRow>(db, table, columns.light, owner, { source, params });
    if (page !== null) return lightRows(page);
  }
  if (query.count <= FEW_RESOURCES) {
    const found = await read(SMALL_PAGE);
    if (found.every((row) => row.fits && !row.large)) return cutRows(found, query.count);
  }
  // A large page is read once the budget has room for it.
  await share.grow(MAX_PAGE_BYTES);
  return cutRows(await read(MAX_PAGE_BYTES), query.count);
}

function cutRows<Row extends PageRow>(found: Row[], count: number): PageRows<Row> {
  const rows = found.slice(0, count).filter((row) => row.fits);
  const [first] = found;
  return {
    rows,
    more: found.length > rows.length,
    total: first?.total ?? null,
    common: first?.common,
    large: first?.large ?? false,
  };
}

function lightRows<Row>({ rows, more, related }: LightPage<Row>): PageRows<Row> {
  return { rows, more, total: related?.total ?? null, common: related?.common, large: false };
}

export function wholeTotal(table: ListTable, filter: ListFilter): string | undefined {
  return filter.bound === null ? table.total : undefined;
}
