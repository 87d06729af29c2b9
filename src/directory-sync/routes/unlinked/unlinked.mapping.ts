import type { UnlinkedUserBody } from './unlinked.dto.js';
import type { UnlinkedUserRow } from './unlinked-users.js';

/** The columns of the list as CSV. */
export const UNLINKED_COLUMNS = [
  'user_id',
  'user_name',
  'email',
  'first_name',
  'last_name',
  'role',
  'seat',
  'held',
  'updated_at',
] as const satisfies readonly (keyof UnlinkedUserBody)[];

/** Returns an unlinked user as the API shows it. */
export function unlinkedBody(row: UnlinkedUserRow): UnlinkedUserBody {
  return { ...row, updated_at: row.updated_at.toISOString() };
}

/** Returns the cells of an unlinked user, in the order of {@link UNLINKED_COLUMNS}. */
export function unlinkedCells(row: UnlinkedUserRow): unknown[] {
  const body = unlinkedBody(row);
  return UNLINKED_COLUMNS.map((column) => body[column]);
}
