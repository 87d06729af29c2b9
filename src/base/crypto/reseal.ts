import { Database } from '../database/database.js';
import { SealError, type Sealer } from './seal.js';

/** Where sealed secrets stand, and what each is bound to. */
export interface SealedColumn {
  readonly table: string;
  /** The primary key's columns. */
  readonly key: readonly string[];
  readonly column: string;
  /** Whether it lasts until a person changes it. What does not ends by itself within hours. */
  readonly lasting: boolean;
  readonly aad: (row: Record<string, string>) => string;
}

/** How many secrets of one column, sealed by one key, the keys of the settings open. */
export interface SealedCount {
  /** `table.column` */
  readonly column: string;
  /** The id that stands beside the secrets. */
  readonly keyId: string;
  readonly opened: number;
  readonly unopened: number;
}

type Row = Record<string, string>;

const BATCH = 500;

/**
 * Seals everything in a column with the current key that another key sealed. A row that no key opens is left as it is.
 *
 * @returns how many were sealed anew, and how many no key opens
 */
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
    const text = opened(sealer, before, aad(row));
    if (text === null) {
      found.unopened++;
      continue;
    }
    const where = key.map((name, i) => `${name} = $${i + 3}`).join(' and ');
    // Only what was read: a secret that was set meanwhile has the new key already.
    await db.query(`update ${table} set ${column} = $1 where ${column} = $2 and ${where}`, [
      sealer.seal(text, aad(row)),
      before,
      ...key.map((name) => row[name]),
    ]);
    found.resealed++;
  }
  return found;
}

/** Opens every secret of a column, and counts by key what the keys of the settings open and what they do not. */
export async function countSealed(db: Database, sealer: Sealer, target: SealedColumn): Promise<SealedCount[]> {
  const column = `${target.table}.${target.column}`;
  const counts = new Map<string, { opened: number; unopened: number }>();
  for await (const row of rowsOf(db, target)) {
    const keyId = /^v1\.([^.]+)\./.exec(row['sealed']!)?.[1] ?? 'none';
    const count = counts.get(keyId) ?? { opened: 0, unopened: 0 };
    counts.set(keyId, count);
    if (opened(sealer, row['sealed']!, target.aad(row)) === null) count.unopened++;
    else count.opened++;
  }
  return [...counts].map(([keyId, count]) => ({ column, keyId, ...count }));
}

/** The rows with a secret, in the order of the primary key. */
async function* rowsOf(db: Database, { table, key, column }: SealedColumn): AsyncGenerator<Row> {
  const names = key.join(', ');
  let after: string[] = [];
  for (;;) {
    const behind = after.length === 0 ? '' : `and (${names}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
    const { rows } = await db.query<Row>(
      `select ${names}, ${column} as sealed from ${table} where ${column} is not null ${behind}
       order by ${names} limit ${BATCH}`,
      after,
    );
    yield* rows;
    if (rows.length < BATCH) return;
    after = key.map((name) => rows.at(-1)![name]!);
  }
}

function opened(sealer: Sealer, sealed: string, aad: string): string | null {
  try {
    return sealer.unseal(sealed, aad);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
