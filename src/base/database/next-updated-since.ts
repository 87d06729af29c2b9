import type { SqlRunner } from './database.js';

/** The time of a write is that of the process that makes it. */
const CLOCKS_DIFFER_SECONDS = 10;

/**
 * Returns the `updated_since` of the next call of a list: before every write that is not committed yet, and before what
 * other clocks may say, so that a late commit is not missed. A record may come twice.
 *
 * Ask before the page is read: what commits in between is not on it.
 */
export async function nextUpdatedSince(db: SqlRunner, tenantId: string): Promise<string> {
  const { rows } = await db.query<{ since: Date; asked_by: string }>(
    `select $1::text as asked_by, coalesce(min(xact_start), clock_timestamp()) - interval '${CLOCKS_DIFFER_SECONDS} seconds' as since
     from pg_stat_activity where datname = current_database() and usesysid = current_user::regrole::oid`,
    [tenantId],
  );
  return rows[0]!.since.toISOString();
}
