import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlRunner } from './database.js';

const EVERY_MS = 10;

/**
 * Waits until every earlier statement and transaction of the service's role is over, on all processes: later ones see
 * all that is committed by now. A statement gets its transaction id with its first write, so ids alone would miss one
 * that has only read so far.
 *
 * @param db outside of a transaction
 * @param mostMs the longest wait in milliseconds
 * @returns false when something still runs
 */
export async function olderWorkOver(db: SqlRunner, tenantId: string, mostMs: number): Promise<boolean> {
  const { rows } = await db.query<{ now: string }>(`select clock_timestamp()::text as now, $1::text as asked_by`, [
    tenantId,
  ]);
  const deadline = Date.now() + mostMs;
  for (;;) {
    const { rowCount } = await db.query(
      `select $1::text from pg_stat_activity where datname = current_database() and usesysid = current_user::regrole::oid
         and pid <> pg_backend_pid() and xact_start < $2::timestamptz limit 1`,
      [tenantId, rows[0]!.now],
    );
    if (rowCount === 0) return true;
    if (Date.now() > deadline) return false;
    await sleep(EVERY_MS);
  }
}
