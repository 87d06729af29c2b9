import { isOther, leaves, type Current, type Decision } from '../../../tenancy/identity/held.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import { type EffectSteps, losesConsole } from '../effect-steps.rules.js';

const OWNER_KINDS = ['create', 'link', 'take_over'] as const;
const CHANGE_KINDS = ['update', 'deactivate', 'delete'] as const;

export const PREVIEW_KINDS = [...OWNER_KINDS, ...CHANGE_KINDS] as const;

/** How the directory gets a user. A user has at most one of these kinds. */
export type OwnerKind = (typeof OWNER_KINDS)[number];
/** What changes of a user. A user has at most one of these kinds. */
export type ChangeEffect = (typeof CHANGE_KINDS)[number];
export type PreviewKind = (typeof PREVIEW_KINDS)[number];

interface KindParts {
  owner_kind: OwnerKind | null;
  change_kind: ChangeEffect | null;
}

export function storedKinds(kinds: readonly PreviewKind[]): KindParts {
  return {
    owner_kind: OWNER_KINDS.find((kind) => kinds.includes(kind)) ?? null,
    change_kind: CHANGE_KINDS.find((kind) => kinds.includes(kind)) ?? null,
  };
}

export function kindsOf({ owner_kind: owner, change_kind: change }: KindParts): PreviewKind[] {
  return [owner, change].filter((kind) => kind !== null);
}

export interface Previewed {
  owner: 'own' | 'unmanaged' | 'replaced';
  removed: boolean;
  current: Current;
  /** The effective state after going live; null when the user is removed. */
  would: Decision | null;
}

export interface PreviewEffect {
  kinds: PreviewKind[];
  fields: string[];
  takesSeat: boolean;
  freesSeat: boolean;
  /** The user goes out of force, or gives the seat back: the guard of the directory counts these users. */
  leaves: boolean;
  held: HeldReason | null;
}

export interface SteppedEffect extends PreviewEffect {
  steps: EffectSteps;
}

export function effectOf({ owner, removed, current, would }: Previewed): PreviewEffect {
  const holds = current.seat === 'held';
  if (removed || would === null) {
    const isActive = current.status === 'active';
    return { kinds: ['delete'], fields: ['status'], takesSeat: false, freesSeat: holds, leaves: isActive, held: null };
  }
  const held = would.held === 'no_email' ? null : would.held;
  const seat = {
    takesSeat: would.seat === 'held' && !holds,
    freesSeat: would.seat !== 'held' && holds,
    leaves: leaves(current, would),
  };
  const isNew = owner === 'own' && !current.everActive && current.status === 'inactive';
  if (isNew) return { kinds: ['create'], fields: [], ...seat, held };
  const kinds: PreviewKind[] = owner === 'unmanaged' ? ['link'] : owner === 'replaced' ? ['take_over'] : [];
  const fields = changedFields(current, would);
  if (fields.length > 0) {
    kinds.push(current.status === 'active' && would.inForce.status === 'inactive' ? 'deactivate' : 'update');
  }
  return { kinds, fields, ...seat, held };
}

function changedFields(current: Current, would: Decision): string[] {
  if (!isOther(would, current)) return [];
  const fields = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const;
  const changed: string[] = fields.filter((field) => would.inForce[field] !== current.person[field]);
  if (would.inForce.status !== current.status) changed.push('status');
  return changed;
}

export interface PlanTotals {
  kinds: Record<PreviewKind, number>;
  takeSeat: number;
  freeSeat: number;
  /** Departures that the guard of the directory counts. */
  leave: number;
  /** Administrators who lose the console; missing in a plan of an older version. */
  administrators?: number;
}

export function noTotals(): PlanTotals {
  const kinds = Object.fromEntries(PREVIEW_KINDS.map((kind) => [kind, 0])) as PlanTotals['kinds'];
  return { kinds, takeSeat: 0, freeSeat: 0, leave: 0, administrators: 0 };
}

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
