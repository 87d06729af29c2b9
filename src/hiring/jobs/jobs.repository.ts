import { Injectable } from '@nestjs/common';
import { ByteMap } from '../../base/byte-map.js';
import type { CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { Params } from '../../base/database/params.js';
import { nextUpdatedSince, listRecords } from '../../base/database/record-list.js';
import { WriteStatement } from '../../base/database/write-statement.js';
import type { PageRequest } from '../../base/http/page.js';
import type { JobRow } from './job.js';

interface JobFilter {
  status?: string | undefined;
  external_id?: string | undefined;
  ats?: string | undefined;
  updated_since?: Date | undefined;
}

const COLUMNS = `id, external_id, ats, ats_connection_id, title, status, department, location, employment_type, url,
  opened_at, closed_at, sequence, created_at, updated_at`;

function values(p: Params, row: JobRow): string {
  const { ats, ats_connection_id, title, status, department, location, employment_type, url } = row;
  const texts = [ats, ats_connection_id, title, status, department, location, employment_type, url];
  return [
    ...texts.map((value) => p.add(value, 'text')),
    ...[row.opened_at, row.closed_at].map((value) => p.add(value, 'timestamptz')),
    p.add(row.sequence, 'int'),
    ...[row.created_at, row.updated_at].map((value) => p.add(value, 'timestamptz')),
  ].join(', ');
}

const KNOWN = { entries: 10_000, bytes: 4 * 1024 * 1024 };

/** A cached title may be old: the write that uses it checks it again under the lock of the opening's name. */
@Injectable()
export class JobsRepository {
  private readonly known = new ByteMap<string | null>(KNOWN);

  constructor(private readonly db: Database) {}

  async one(tenantId: string, id: string, db: SqlRunner = this.db): Promise<JobRow | undefined> {
    const { rows } = await db.query<JobRow>(`select ${COLUMNS} from job_openings where tenant_id = $1 and id = $2`, [
      tenantId,
      id,
    ]);
    return rows[0];
  }

  async byExternalId(tenantId: string, externalId: string, db: SqlRunner = this.db): Promise<JobRow | undefined> {
    const { rows } = await db.query<JobRow>(
      `select ${COLUMNS} from job_openings where tenant_id = $1 and external_id = $2`,
      [tenantId, externalId],
    );
    return rows[0];
  }

  async byExternalIds(
    tenantId: string,
    externalIds: readonly string[],
    db: SqlRunner = this.db,
  ): Promise<ReadonlyMap<string, JobRow>> {
    if (externalIds.length === 0) return new Map();
    const { rows } = await db.query<JobRow>(
      `select ${COLUMNS} from job_openings where tenant_id = $1 and external_id = any($2::text[])`,
      [tenantId, externalIds],
    );
    return new Map(rows.map((row) => [row.external_id, row]));
  }

  /** Gives openings of a removed connection to the API. @returns how many */
  async release(tenantId: string, connectionId: string, db: SqlRunner = this.db): Promise<number> {
    const { rowCount } = await db.query(
      `update job_openings set ats_connection_id = null where tenant_id = $1 and ats_connection_id = $2`,
      [tenantId, connectionId],
    );
    return rowCount ?? 0;
  }

  list(tenantId: string, filter: JobFilter, page: PageRequest): Promise<CutRows<JobRow>> {
    const { updated_since: updatedSince, ...equal } = filter;
    const table = { table: 'job_openings', columns: COLUMNS };
    return listRecords<JobRow>(this.db, table, tenantId, { equal, updatedSince }, page);
  }

  nextUpdatedSince(tenantId: string): Promise<string> {
    return nextUpdatedSince(this.db, tenantId);
  }

  insert(tenantId: string, row: JobRow): WriteStatement {
    return new WriteStatement().subject(
      (p) => `insert into job_openings (tenant_id, ${COLUMNS})
        values (${p.add(tenantId)}, ${p.add(row.id)}, ${p.add(row.external_id)}, ${values(p, row)}) returning id`,
    );
  }

  update(tenantId: string, row: JobRow): WriteStatement {
    return new WriteStatement().subject((p) => {
      const tenant = p.add(tenantId);
      return `update job_openings set (ats, ats_connection_id, title, status, department, location, employment_type, url,
          opened_at, closed_at, sequence, created_at, updated_at) =
          row(${values(p, row)})
        where tenant_id = ${tenant} and id = ${p.add(row.id)} returning id`;
    });
  }

  /** By its `external_id` or id; null when there is none. @param anew a write refused the cached title */
  async titleOf(tenantId: string, name: string, anew = false, db: SqlRunner = this.db): Promise<string | null> {
    const key = `${tenantId} ${name}`;
    const known = anew ? undefined : this.known.get(key);
    if (known !== undefined) return known;
    const { rows } = await db.query<{ title: string | null }>(
      `select coalesce(
         (select o.title from job_openings o where o.tenant_id = $1 and o.external_id = $2),
         (select o.title from job_openings o where o.tenant_id = $1 and o.id = $2)) as title`,
      [tenantId, name],
    );
    const { title } = rows[0]!;
    this.known.set(key, title, 64 + 2 * (title?.length ?? 0));
    return title;
  }
}

/** Returns the condition that an opening still has a title. It locks the opening's name, so that a rename waits. */
export function hasTitle(p: Params, tenantId: string, name: string, title: string | null): string {
  return `opening_title(${p.add(tenantId, 'text')}, ${p.add(name, 'text')}) is not distinct from ${p.add(title, 'text')}`;
}

/** Waits for writes of records with the title of an opening, and holds off others until the commit. */
export async function lockTitle(tx: SqlRunner, tenantId: string, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1 || ' opening ' || $2, 0))`, [tenantId, name]);
}

/** Holds off new titles of an opening until the commit, as the statement of {@link hasTitle} does. */
export async function holdTitle(tx: SqlRunner, tenantId: string, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(hashtextextended($1 || ' opening ' || $2, 0))`, [tenantId, name]);
}

/** Does {@link lockTitle} for many openings, in the order of {@link holdTitles}. */
export async function lockTitles(tx: SqlRunner, tenantId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.query(
    `select pg_advisory_xact_lock(l.key) from (
       select distinct hashtextextended($1 || ' opening ' || n.name, 0) as key from unnest($2::text[]) as n(name)
       order by key offset 0) l`,
    [tenantId, names],
  );
}

/** Does {@link holdTitle} for many openings, in one statement. */
export async function holdTitles(tx: SqlRunner, tenantId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  // Sorted by the lock, so that two transactions take them in one order; the function is called for each row as it
  // comes.
  await tx.query(
    `select pg_advisory_xact_lock_shared(l.key) from (
       select distinct hashtextextended($1 || ' opening ' || n.name, 0) as key from unnest($2::text[]) as n(name)
       order by key offset 0) l`,
    [tenantId, names],
  );
}

/** Returns the titles of openings that the transaction holds, by the names that were asked for. */
export async function titlesOf(
  tx: SqlRunner,
  tenantId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const { rows } = await tx.query<{ name: string; title: string }>(
    `select n.name, coalesce(
       (select o.title from job_openings o where o.tenant_id = $1 and o.external_id = n.name),
       (select o.title from job_openings o where o.tenant_id = $1 and o.id = n.name)) as title
     from unnest($2::text[]) as n(name)`,
    [tenantId, [...new Set(names)]],
  );
  return new Map(rows.filter(({ title }) => title !== null).map(({ name, title }) => [name, title]));
}
