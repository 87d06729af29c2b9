import type { RequestEffect } from '../../../base/http/request.js';
import type { UserRow } from '../../users/user.row.js';
import type { Edit, WriteResult } from '../../users/write/users.service.js';

/** Returns what a write of one user did; for the logs. */
export function writeEffectOf(
  { id, held }: UserRow,
  outcome: WriteResult['outcome'],
  edit: Edit | null,
): RequestEffect {
  if (edit?.kind !== 'link' || outcome === 'unchanged') return { outcome, userId: id, held };
  return { outcome: 'linked', userId: id, held, linkedBy: edit.by };
}
