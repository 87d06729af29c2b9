import { losesConsole } from '../effect-steps.rules.js';
import { PREVIEW_KINDS, type PreviewKind, type SteppedEffect } from './preview.rules.js';

/** Numbers of the users of a plan. */
export interface PlanTotals {
  kinds: Record<PreviewKind, number>;
  takeSeat: number;
  freeSeat: number;
  /** Departures, which the guard of the directory counts. */
  leave: number;
  /** Administrators who lose the console; missing in a plan of an older version. */
  administrators?: number;
}

/** Returns the totals of a plan without users. */
export function noTotals(): PlanTotals {
  const kinds = Object.fromEntries(PREVIEW_KINDS.map((kind) => [kind, 0])) as PlanTotals['kinds'];
  return { kinds, takeSeat: 0, freeSeat: 0, leave: 0, administrators: 0 };
}

/** Returns totals with the effects of some more users. */
export function withEffects(totals: PlanTotals, effects: readonly SteppedEffect[]): PlanTotals {
  const sum = { ...totals, administrators: totals.administrators ?? 0, kinds: { ...totals.kinds } };
  for (const { kinds, takesSeat, freesSeat, leaves, steps } of effects) {
    for (const kind of kinds) sum.kinds[kind]++;
    sum.takeSeat += Number(takesSeat);
    sum.freeSeat += Number(freesSeat);
    sum.leave += Number(leaves);
    sum.administrators += Number(losesConsole(steps));
  }
  return sum;
}
