import type { Database } from '../../src/base/database/database.js';

/** Waits until a number of statements of this database wait for locks that others hold. */
export async function waitingForLock(db: Pick<Database, 'execute'>, howMany = 1): Promise<void> {
  for (;;) {
    const { rowCount } = await db.execute(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if ((rowCount ?? 0) >= howMany) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
