import { leaves, type Current, type Decision } from '../../../tenancy/identity/held.rules.js';

/** The effect of changed rules on one user. */
export interface RulesEffect {
  /** The role in force, and the one that the rules would give; null: no role. */
  from: string | null;
  to: string | null;
  /** `gains`: the user would need a seat and holds none. */
  seat: 'gains' | 'loses' | 'none';
  /** The user would go out of force, or give the seat back: the guard of the directory counts that. */
  leaves: boolean;
}

/**
 * Returns the effect of changed rules on a user; null: there is none. A user whose decision is the same under the present
 * rules is left out: what else waits for this user is no effect of the change.
 *
 * @param present the decision under the present rules
 * @param changed the decision under the changed rules
 */
export function effectOfRules(current: Current, present: Decision, changed: Decision): RulesEffect | null {
  if (present.inForce.role === changed.inForce.role && present.seat === changed.seat) return null;
  const [from, to] = [current.person.role, changed.inForce.role];
  const [held, holds] = [current.seat === 'held', changed.seat === 'held'];
  const seat = held === holds ? 'none' : holds ? 'gains' : 'loses';
  if (from === to && seat === 'none') return null;
  return { from, to, seat, leaves: leaves(current, changed) };
}
