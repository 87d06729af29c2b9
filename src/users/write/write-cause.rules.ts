import type { Cause, Trigger } from '../../identity/cause.rules.js';
import type { Decision, Written } from '../../identity/held.rules.js';
import type { UserChange } from '../../identity/person.js';
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
  const cause: Cause = { ...(edit?.trigger ?? triggerOf(about, edit)) };
  if (changed.includes('role')) {
    const isRequested = decision.inForce.role === written.person.role;
    cause.role = isRequested ? roleOrigin(about) : { by: 'no_seat' };
  }
  if (decision.held !== null) cause.held = decision.held;
  return cause;
}

function triggerOf({ ctx, row }: WriteCase, edit: Edit | null): Trigger {
  const reason = ctx.inTurn === true ? 'no_seat' : row?.held;
  const held = reason == null ? {} : { reason };
  switch (edit?.kind) {
    case 'reconsider':
      return { kind: 'hold_ended', ...held };
    case 'discard':
      return { kind: 'discarded', ...held };
    case 'link':
      return { kind: 'linked' };
    default:
      return { kind: 'written' };
  }
}
