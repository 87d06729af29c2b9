import type { Decision } from '../../../tenancy/identity/held.rules.js';
import { departureOf, type DepartureKind } from '../guard/guard.rules.js';
import type { GuardedWrite } from '../guard/guarded-write.js';
import { currentOf, personOfRow, type UserRow } from '../user.row.js';
import type { Edit, WriteCase } from './write-case.js';
import type { WriteContext } from './write-context.js';

/** Returns what the guard keeps of an edit; null: nothing. */
export function guardedEdit(
  { ctx, row, draft }: WriteCase & { row: UserRow },
  edit: Edit,
  decision: Decision,
): GuardedWrite | null {
  const { inForce, seat } = decision;
  const isBack = inForce.status === 'active' && (row.status === 'inactive' || (row.seat !== 'held' && seat === 'held'));
  if (isBack) {
    const isOff = row.directory_id === null || ctx.directory?.guard === 'off';
    return isOff ? null : { kind: 'return', directoryId: row.directory_id! };
  }
  const how = departureOf(currentOf(row), draft.active, decision);
  // What an admin lets go or discards is no departure by the directory.
  const isAdmins = edit.kind === 'discard' || edit.trigger?.kind === 'released';
  return how === null || isAdmins ? null : departure(ctx, row, how);
}

/** Returns what the guard keeps of a removal; null: nothing. */
export function guardedRemoval(ctx: Omit<WriteContext, 'source'>, row: UserRow): GuardedWrite | null {
  return row.status === 'active' ? departure(ctx, row, 'deleted', row.doc) : null;
}

function departure(
  { channel, directory }: Omit<WriteContext, 'source'>,
  row: UserRow,
  how: DepartureKind,
  doc?: string,
): GuardedWrite | null {
  if (channel !== 'scim' || directory === null || directory.guard === 'off') return null;
  const before = { person: personOfRow(row), ...(doc === undefined ? {} : { doc }) };
  return { kind: 'departure', how, directoryId: directory.id, figures: directory.guard, before };
}
