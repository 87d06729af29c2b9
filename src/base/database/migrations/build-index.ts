import type { QueryRunner } from 'typeorm';

/**
 * Builds an index while the table is written, in a migration with `transaction = false`. What an interrupted build left
 * behind is removed first: such an index is kept up to date and never used.
 *
 * @param definition what follows the name of the index, such as `on users (tenant_id) where …`
 */
export async function buildIndex(db: QueryRunner, name: string, definition: string, unique = false): Promise<void> {
  const [found] = (await db.query(`select indisvalid as valid from pg_index where indexrelid = to_regclass($1)`, [
    name,
  ])) as { valid: boolean }[];
  if (found?.valid === true) return;
  await patiently(db, async () => {
    if (found !== undefined) await db.query(`drop index concurrently ${name}`);
    await db.query(`create ${unique ? 'unique ' : ''}index concurrently ${name} ${definition}`);
  });
}

/** Removes an index while the table is written; does nothing when it is gone. */
export async function removeIndex(db: QueryRunner, name: string): Promise<void> {
  await patiently(db, () => db.query(`drop index concurrently if exists ${name}`));
}

/** A concurrent build waits for older transactions and stops none. A time limit would only leave it unfinished. */
async function patiently(db: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  await db.query('set lock_timeout = 0');
  try {
    await work();
  } finally {
    await db.query('reset lock_timeout');
  }
}
