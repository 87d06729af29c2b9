import type { SqlRunner } from './database.js';

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
