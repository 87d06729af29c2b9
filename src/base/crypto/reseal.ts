import { Database } from '../database/database.js';
import type { Sealer } from './seal.js';

/** Where sealed secrets stand, and what each is bound to. */
export interface SealedColumn {
  table: string;
  /** The primary key's columns. */
  key: readonly string[];
  column: string;
  aad: (row: Record<string, string>) => string;
}

const BATCH = 500;

/** Seals everything in a column with the current key that another key sealed; answers how many there were. */
export async function reseal(db: Database, sealer: Sealer, target: SealedColumn): Promise<number> {
  const { table, key, column, aad } = target;
  const current = `v1.${sealer.currentKeyId}.`;
  let count = 0;
  for (;;) {
    const { rows } = await db.query<Record<string, string>>(
      `select ${key.join(', ')}, ${column} as sealed from ${table}
       where ${column} is not null and not starts_with(${column}, $1) limit ${BATCH}`,
      [current],
    );
    for (const row of rows) {
      const sealed = sealer.seal(sealer.unseal(row['sealed']!, aad(row)), aad(row));
      const where = key.map((name, i) => `${name} = $${i + 3}`).join(' and ');
      // Only what was read: a secret that was set meanwhile has the new key already.
      await db.query(`update ${table} set ${column} = $1 where ${column} = $2 and ${where}`, [
        sealed,
        row['sealed'],
        ...key.map((name) => row[name]),
      ]);
      count++;
    }
    if (rows.length < BATCH) return count;
  }
}
