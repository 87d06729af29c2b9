import type { HeldReason } from '../../tenancy/identity/person.js';

/** How many users of a directory are held for a reason. */
export interface HeldRow {
  reason: HeldReason;
  directory_id: string | null;
  n: number;
}

/** Returns the held users by reason, and those of the guard with their directories. */
export function heldCounts(rows: readonly HeldRow[]): {
  held: Record<string, number>;
  guard: { held: number; directories: string[] };
} {
  const held: Record<string, number> = {};
  for (const { reason, n } of rows) held[reason] = (held[reason] ?? 0) + n;
  const directories = rows.flatMap(({ reason, directory_id: id }) => (reason === 'guard' && id !== null ? [id] : []));
  return { held, guard: { held: held['guard'] ?? 0, directories: directories.sort() } };
}
