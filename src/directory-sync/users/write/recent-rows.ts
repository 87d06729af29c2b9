import { ByteMap, byteSize } from '../../../base/byte-map.js';
import type { UserWithGroups } from '../users.repository.js';

const MAX_ROWS = 5000;
const MAX_BYTES = 24 * 1024 * 1024;
/** A larger row is not kept: reading it again costs little beside writing it. */
const MAX_ROW_BYTES = 64 * 1024;

/**
 * The rows that this process wrote last. Never the truth, only a guess at it: a write onto such a row is guarded by
 * its version, and writes nothing if another process has changed the user meanwhile.
 */
export class RecentRows {
  private readonly rows = new ByteMap<UserWithGroups>({ entries: MAX_ROWS, bytes: MAX_BYTES });

  /** The bytes of all rows that are kept, as estimated. */
  get bytes(): number {
    return this.rows.bytes;
  }

  put(tenantId: string, row: UserWithGroups): void {
    const key = `${tenantId} ${row.id}`;
    const bytes = bytesOf(row);
    if (bytes <= MAX_ROW_BYTES) this.rows.set(key, row, bytes);
    else this.rows.delete(key);
  }

  /** Returns the row and forgets it: the write that follows puts the next version back. */
  take(tenantId: string, id: string): UserWithGroups | undefined {
    const key = `${tenantId} ${id}`;
    const row = this.rows.get(key);
    if (row) this.rows.delete(key);
    return row;
  }
}

/** The memory of a row without its texts. */
const OTHER_BYTES = 1024;

/** Estimates as `byteSize` does, without the list of all fields that it makes. */
function bytesOf(row: UserWithGroups): number {
  let bytes = OTHER_BYTES + byteSize(row.groups) + byteSize(row.manager);
  for (const name of TEXTS) bytes += 2 * (row[name]?.length ?? 0);
  return bytes;
}

/** The fields as long as a caller makes them. */
const TEXTS = [
  'doc',
  'user_name',
  'user_name_key',
  'email',
  'first_name',
  'last_name',
  'external_id',
  'person_external_id',
  'cost_center',
] as const;
