import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlRunner } from './database.js';

const EVERY_MS = 10;

/**
 * Waits until every earlier statement and transaction in this database is over, of all processes and logins: later ones see
 * every present commit. Each holds a lock on its virtual id from before its first snapshot to its end, and every role may see
 * these locks. A transaction id comes with the first write, so a statement that has only read so far has none. A vacuum of the
 * server has no login, and writes no rows.
 *
 * @param db outside of a transaction
 * @param mostMs the longest wait in milliseconds; 0 for one look
 * @returns false when earlier work still runs
 */
export async function olderWorkOver(db: SqlRunner, tenantId: string, mostMs: number): Promise<boolean> {
  const { rows } = await db.query<{ id: string; asked_by: string }>(
    `select $1::text as asked_by, l.virtualxid as id from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'virtualxid' and l.granted and a.datname = current_database() and a.pid <> pg_backend_pid()
       and a.usesysid is not null`,
    [tenantId],
  );
  const ids = rows.map(({ id }) => id);
  const deadline = Date.now() + mostMs;
  for (;;) {
    const { rowCount } = await db.query(
      `select $1::text from pg_locks where locktype = 'virtualxid' and granted and virtualxid = any($2) limit 1`,
      [tenantId, ids],
    );
    if (rowCount === 0) return true;
    if (Date.now() >= deadline) return false;
    await sleep(EVERY_MS);
  }
}
