import type { LeftOutItem } from '../../../engine/work/tasks.repository.js';
import { leaves, type Current, type Decision } from '../../../tenancy/identity/held.rules.js';
import { losesConsole, type EffectSteps } from '../effect-steps.rules.js';

export interface RulesEffect {
  /** `from` is the role in force, `to` the one that the rules would give; null means no role. */
  from: string | null;
  to: string | null;
  /** `gains`: the user would need a seat and holds none. */
  seat: 'gains' | 'loses' | 'none';
  /** The user would go out of force, or give the seat back: the guard of the directory counts these users. */
  leaves: boolean;
}

/**
 * Returns null when the decision is the same under the present rules: then the difference is no effect of the change.
 */
export function effectOfRules(current: Current, present: Decision, changed: Decision): RulesEffect | null {
  if (present.inForce.role === changed.inForce.role && present.seat === changed.seat) return null;
  const [from, to] = [current.person.role, changed.inForce.role];
  const [held, holds] = [current.seat === 'held', changed.seat === 'held'];
  const seat = held === holds ? 'none' : holds ? 'gains' : 'loses';
  if (from === to && seat === 'none') return null;
  return { from, to, seat, leaves: leaves(current, changed) };
}

export interface RulesPlanned extends RulesEffect {
  user_id: string;
  user_name: string;
  steps: EffectSteps;
}

export interface RulesTotals {
  total: number;
  take_seat: number;
  free_seat: number;
  /** Departures that the guard of the directory counts. */
  leavers: number;
  /** Administrators who lose the console; missing in a task of an older version. */
  administrators?: number;
}

export const NO_TOTALS: RulesTotals = { total: 0, take_seat: 0, free_seat: 0, leavers: 0, administrators: 0 };

export function withUsers(totals: RulesTotals, users: readonly RulesPlanned[]): RulesTotals {
  return {
    total: totals.total + users.length,
    take_seat: totals.take_seat + users.filter(({ seat }) => seat === 'gains').length,
    free_seat: totals.free_seat + users.filter(({ seat }) => seat === 'loses').length,
    leavers: totals.leavers + users.filter((user) => user.leaves).length,
    administrators: (totals.administrators ?? 0) + users.filter(({ steps }) => losesConsole(steps)).length,
  };
}

const REASONS = { gains: 'takes_seat', loses: 'frees_seat', none: 'role_changes' } as const;
const SEATS = { gains: ', and would need a seat', loses: ', and would give the seat back', none: '' } as const;

export function noteOf({ user_id, user_name, from, to, seat, steps }: RulesPlanned): LeftOutItem {
  const roles = `has ${from === null ? 'no role' : `the role ${from}`} and would have ${to ?? 'none'}`;
  const loses = losesConsole(steps);
  return {
    id: user_id,
    item: { user_id, user_name, from, to, seat, steps },
    reason: loses ? 'loses_console' : REASONS[seat],
    detail: `${user_name} ${roles}${SEATS[seat]}${loses ? ', and would lose the console' : ''}.`,
  };
}
