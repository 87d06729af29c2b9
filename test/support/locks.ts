import type { Database } from '../../src/base/database/database.js';

/** Until some statement of this database waits for a lock that another one holds. */
export async function waitingForLock(db: Pick<Database, 'execute'>): Promise<void> {
  for (;;) {
    const { rowCount } = await db.execute(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rowCount) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
