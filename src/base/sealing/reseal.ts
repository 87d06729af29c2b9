import { Database } from '../database/database.js';
import { type Sealer } from '../crypto/seal.js';

/** A column of sealed secrets, with the data that each secret is bound to. */
export interface SealedColumn {
  readonly table: string;
  readonly key: readonly string[];
  readonly column: string;
  /** Whether the secret lasts until it is changed. Other secrets expire within hours. */
  readonly lasting: boolean;
  readonly aad: (row: Record<string, string>) => string;
}

/** The number of secrets of one column, sealed by one key, and how many of them the keys of the settings open. */
export interface SealedCount {
  /** `table.column` */
  readonly column: string;
  readonly keyId: string;
  readonly opened: number;
  readonly unopened: number;
}

type Row = Record<string, string>;

const BATCH = 500;

/** Seals all secrets of a column with the current key. A secret that no key opens stays. */
export async function reseal(
  db: Database,
  sealer: Sealer,
  target: SealedColumn,
): Promise<{ resealed: number; unopened: number }> {
  const { table, key, column, aad } = target;
  const found = { resealed: 0, unopened: 0 };
  for await (const row of rowsOf(db, target)) {
    const before = row['sealed']!;
    if (sealer.isCurrent(before, aad(row))) continue;
    const text = sealer.unsealOrNull(before, aad(row));
    if (text === null) {
      found.unopened++;
      continue;
    }
    const where = key.map((name, i) => `${name} = $${i + 3}`).join(' and ');
    // Only the secret that was read is replaced: a newer one has the current key already.
    await db.query(`update ${table} set ${column} = $1 where ${column} = $2 and ${where}`, [
      sealer.seal(text, aad(row)),
      before,
      ...key.map((name) => row[name]),
    ]);
    found.resealed++;
  }
  return found;
}

/** Opens every secret of a column, and counts by key those that open and those that do not. */
export async function countSealed(db: Database, sealer: Sealer, target: SealedColumn): Promise<SealedCount[]> {
  const column = `${target.table}.${target.column}`;
  const counts = new Map<string, { opened: number; unopened: number }>();
  for await (const row of rowsOf(db, target)) {
    const keyId = /^v1\.([^.]+)\./.exec(row['sealed']!)?.[1] ?? 'none';
    const count = counts.get(keyId) ?? { opened: 0, unopened: 0 };
    counts.set(keyId, count);
    if (sealer.unsealOrNull(row['sealed']!, target.aad(row)) === null) count.unopened++;
    else count.opened++;
  }
  return [...counts].map(([keyId, count]) => ({ column, keyId, ...count }));
}

async function* rowsOf(db: Database, { table, key, column }: SealedColumn): AsyncGenerator<Row> {
  const names = key.join(', ');
  let after: string[] = [];
  for (;;) {
    const next = after.length === 0 ? '' : `and (${names}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
    const { rows } = await db.query<Row>(
      `select ${names}, ${column} as sealed from ${table} where ${column} is not null ${next}
       order by ${names} limit ${BATCH}`,
      after,
    );
    yield* rows;
    if (rows.length < BATCH) return;
    after = key.map((name) => rows.at(-1)![name]!);
  }
}
