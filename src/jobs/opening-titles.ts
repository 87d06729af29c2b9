import { Injectable } from '@nestjs/common';
import { ByteMap } from '../base/byte-map.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import type { Params } from '../base/database/write-statement.js';

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
