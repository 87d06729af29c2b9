import { Injectable } from '@nestjs/common';
import { ByteMap } from '../../base/byte-map.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { Params } from '../../base/database/params.js';

const KNOWN = { entries: 10_000, bytes: 4 * 1024 * 1024 };

/**
 * The titles of openings, for records that show one. A title that is remembered may be old: the write that uses it
 * checks it again under the lock of the opening's name, and writes nothing where it is.
 */
@Injectable()
export class OpeningTitles {
  private readonly known = new ByteMap<string | null>(KNOWN);

  constructor(private readonly db: Database) {}

  /**
   * Returns the title of an opening; null: there is no such opening.
   *
   * @param name the `external_id` or the id
   * @param anew the title that is remembered was refused
   */
  async of(tenantId: string, name: string, anew = false, db: SqlRunner = this.db): Promise<string | null> {
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

/**
 * Returns the condition that an opening still has a title. It locks the name of the opening until the write is
 * committed: a rename waits, and then finds the record.
 */
export function hasTitle(p: Params, tenantId: string, name: string, title: string | null): string {
  return `opening_title(${p.add(tenantId, 'text')}, ${p.add(name, 'text')}) is not distinct from ${p.add(title, 'text')}`;
}

/** Waits for records that are being written with the title of an opening, and holds off others until the commit. */
export async function lockTitle(tx: SqlRunner, tenantId: string, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1 || ' opening ' || $2, 0))`, [tenantId, name]);
}

/** Holds off new titles of an opening until the commit, as the statement of {@link hasTitle} does. */
export async function holdTitle(tx: SqlRunner, tenantId: string, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(hashtextextended($1 || ' opening ' || $2, 0))`, [tenantId, name]);
}

/** The same as {@link lockTitle} for many openings, in the order of {@link holdTitles}. */
export async function lockTitles(tx: SqlRunner, tenantId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.query(
    `select pg_advisory_xact_lock(l.key) from (
       select distinct hashtextextended($1 || ' opening ' || n.name, 0) as key from unnest($2::text[]) as n(name)
       order by key offset 0) l`,
    [tenantId, names],
  );
}

/** The same as {@link holdTitle} for many openings, in one statement. */
export async function holdTitles(tx: SqlRunner, tenantId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  // Sorted by the lock, so that two transactions take them in one order; the function is called for each row as it comes.
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
