import type { UserWithGroups } from './users.repository.js';

const MOST = 5000;

/**
 * The rows that this process wrote last. Never the truth, only a guess at it: a write onto such a row is guarded by
 * its version, and goes nowhere if somebody else has changed the person meanwhile.
 */
export class RecentRows {
  private readonly rows = new Map<string, UserWithGroups>();

  put(tenantId: string, row: UserWithGroups): void {
    const key = `${tenantId} ${row.id}`;
    this.rows.delete(key);
    if (this.rows.size >= MOST) this.rows.delete(this.rows.keys().next().value!);
    this.rows.set(key, row);
  }

  /** Gives the row away: whoever writes it puts the next version back. */
  take(tenantId: string, id: string): UserWithGroups | undefined {
    const key = `${tenantId} ${id}`;
    const row = this.rows.get(key);
    if (row) this.rows.delete(key);
    return row;
  }
}
