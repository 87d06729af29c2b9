import type { Cause, RoleOrigin, Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { Decision, Written } from '../../../tenancy/identity/held.rules.js';
import type { UserChange } from '../../../tenancy/identity/person.js';
import { roleOrigin } from './requested-state.rules.js';
import type { Edit, WriteCase } from './write-case.js';

/**
 * Returns why a write changes a user.
 *
 * @param edit null: the user is new
 * @param written the requested state, of which the decision was made
 */
export function causeOfWrite(
  about: WriteCase,
  edit: Edit | null,
  { written, decision }: { written: Written; decision: Decision },
  { changed }: UserChange,
): Cause {
  // The fields are named one by one for the sake of speed: see `withStatus`.
  const { kind, group, reason, users } = edit?.trigger ?? about.trigger ?? triggerOf(about, edit);
  const isRequested = decision.inForce.role === written.person.role;
  const role = !changed.includes('role') ? undefined : isRequested ? roleOrigin(about) : NO_SEAT;
  return { kind, group, reason, users, role, held: decision.held ?? undefined };
}

const NO_SEAT: RoleOrigin = { by: 'no_seat' };

function triggerOf({ ctx, row }: WriteCase, edit: Edit | null): Trigger {
  const reason = ctx.inTurn === true ? 'no_seat' : (row?.held ?? undefined);
  switch (edit?.kind) {
    case 'reconsider':
      return { kind: 'hold_ended', reason };
    case 'discard':
      return { kind: 'discarded', reason };
    case 'link':
      return { kind: 'linked' };
    default:
      return { kind: 'written' };
  }
}
