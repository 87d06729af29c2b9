import type { QueryResultRow } from 'pg';
import { Gatherer, WorkAlone } from '../gatherer.js';
import { cutAtBytes, cutRowsOf, type CutRows } from './byte-cut.js';
import { isOfOneRow, tooManyGathered } from './database.errors.js';
import type { Database, SqlRunner } from './database.js';

/** A table whose records are listed by id: ids sort by the time they were made. */
interface ListedTable {
  table: string;
  /** As SQL. */
  columns: string;
}

interface RecordFilter {
  /** Values by column. Each column has an index of tenant, column and id. */
  equal: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Records with a text that begins with `text`. Each expression has an index of tenant and expression. */
  prefix?: { of: readonly string[]; text: string } | undefined;
  updatedSince?: Date | undefined;
}

/** The requested part of a list: at most `limit` records after the id `after`; null for the first ones. */
interface ListPart {
  limit: number;
  after: string | null;
}

/** Sorts after every other character. */
const LAST = '\u{10ffff}';

/** Changed records that are looked up and sorted; of more, a page is found sooner along the list. */
const FEW_UPDATED = 2_000;

/** Returns a page of records of a tenant, newest first. Ids only grow, so that pages do not move. */
export async function listRecords<Row extends QueryResultRow>(
  db: Database,
  { table, columns }: ListedTable,
  tenantId: string,
  { equal, prefix, updatedSince }: RecordFilter,
  page: ListPart,
): Promise<CutRows<Row>> {
  const params: unknown[] = [tenantId];
  const conditions = ['r.tenant_id = $1'];
  const add = (value: unknown) => `$${params.push(value)}`;
  if (page.after !== null) conditions.push(`r.id < ${add(page.after)}`);
  let filters = 0;
  for (const [column, value] of Object.entries(equal)) {
    if (value === undefined) continue;
    conditions.push(
      typeof value === 'string' ? `r.${column} = ${add(value)}` : `r.${column} = any(${add(value)}::text[])`,
    );
    filters += typeof value === 'string' ? 1 : 2;
  }
  let from = table;
  if (updatedSince !== undefined) {
    const since = add(updatedSince);
    if (await isFew(db, table, tenantId, updatedSince)) {
      // `offset 0`: the few are found by the index of the times, and by no other, for every estimate of the planner.
      from = `(select * from ${table} o where o.tenant_id = $1 and o.updated_at >= ${since} offset 0)`;
      filters = 0;
    } else {
      // As an expression: the index of the times would find all of many records, and sort them for each page.
      conditions.push(`r.updated_at + interval '0' >= ${since}`);
      filters++;
    }
  }
  if (prefix !== undefined) {
    const [least, most] = [add(prefix.text), add(`${prefix.text}${LAST}`)];
    const looks = prefix.of.map(
      (of) => `select p.id from ${table} p where p.tenant_id = $1 and ${of} >= ${least} and ${of} < ${most}`,
    );
    conditions.push(`r.id = any(array(${looks.join(' union ')}))`);
    filters += 2;
  }
  const text = cutAtBytes(`select ${columns} from ${from} r where ${conditions.join(' and ')}
     order by r.id desc limit ${page.limit + 1}`);
  // One filter is served in the order of its index. Two filters have to read past records that only one of them has: a search.
  const found = await (filters > 1 || (filters === 1 && updatedSince !== undefined)
    ? db.search<Row>(text, params)
    : db.shaped<Row>(text, params));
  return cutRowsOf(found);
}

/** Whether few records have changed since a moment: the index of the times then finds all of them. */
async function isFew(db: Database, table: string, tenantId: string, since: Date): Promise<boolean> {
  const { rows } = await db.shaped<{ n: number }>(
    `select count(*)::int as n from (
       select 1 from ${table} where tenant_id = $1 and updated_at >= $2 limit ${FEW_UPDATED + 1}) x`,
    [tenantId, since],
  );
  return rows[0]!.n <= FEW_UPDATED;
}

interface Asked {
  values: readonly unknown[];
  key: string;
}

/** Reads of a few rows by a key, gathered over concurrent requests. Each sees all commits before its call. */
export class KeyedReads<R extends QueryResultRow> {
  private readonly gatherer: Gatherer<Asked, R[]>;

  /**
   * @param text a statement for the rows of keys; its first parameter is the tenant, its last one is the array of keys: `id =
   *   any($2)`
   * @param keyOf the key of a row that the statement found
   */
  constructor(
    private readonly db: Pick<Database, 'query'>,
    private readonly text: string,
    private readonly keyOf: (row: R) => string,
  ) {
    this.gatherer = new Gatherer<Asked, R[]>({
      alone: (one) => this.rows([one]),
      together: async (all) => {
        const found = new Map<string, R[]>(all.map(({ key }) => [key, []]));
        for (const row of await this.rows(all)) found.get(this.keyOf(row))!.push(row);
        return all.map(({ key }) => found.get(key)!);
      },
      keyOf: ({ key }) => key,
      busy: tooManyGathered,
    });
  }

  /** @param values those of the other parameters; reads with the same ones may go together */
  read(values: readonly unknown[], key: string): Promise<R[]> {
    return this.gatherer.run(JSON.stringify(values), { values, key });
  }

  private async rows(all: readonly Asked[]): Promise<R[]> {
    try {
      return (await this.db.query<R>(this.text, [...all[0]!.values, all.map(({ key }) => key)])).rows;
    } catch (error) {
      // A key that cannot be a text of the database fails alone.
      if (all.length > 1 && isOfOneRow(error)) throw new WorkAlone();
      throw error;
    }
  }
}

/** The time of a write is that of the process that makes it. */
const CLOCKS_DIFFER_SECONDS = 10;

/**
 * SQL for the start of the oldest other transaction under way, on all processes. Connections that stepped down from the owner
 * are visible to the owner alone (`oldest_work`), those of a login of the service's own to that login alone.
 */
const OLDEST_WORK = `least(oldest_work(), (select min(xact_start) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and usename = session_user))`;

/**
 * Returns the `updated_since` of the next call of a list: before every write that is not committed yet, and before the times of
 * other clocks, so that a late commit is not missed. A record may come twice.
 *
 * Call before the page is read: a commit in between is not on it.
 */
export async function nextUpdatedSince(db: SqlRunner, tenantId: string): Promise<string> {
  const { rows } = await db.query<{ since: Date; asked_by: string }>(
    `select $1::text as asked_by,
       coalesce(${OLDEST_WORK}, clock_timestamp()) - interval '${CLOCKS_DIFFER_SECONDS} seconds' as since`,
    [tenantId],
  );
  return rows[0]!.since.toISOString();
}
