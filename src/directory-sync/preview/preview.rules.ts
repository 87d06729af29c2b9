import { isOther, type Current, type Decision } from '../../identity/held.rules.js';
import type { HeldReason } from '../../identity/person.js';

/** What going live would do to one user. */
export const PREVIEW_KINDS = ['create', 'link', 'take_over', 'update', 'deactivate', 'delete'] as const;
export type PreviewKind = (typeof PREVIEW_KINDS)[number];

/** What is known of a user that a directory in preview has written to. */
export interface Previewed {
  /** Whose user it is now. */
  owner: 'own' | 'unmanaged' | 'replaced';
  /** The directory has removed the user. */
  removed: boolean;
  current: Current;
  /** What would come into force; null: the user is removed. */
  would: Decision | null;
}

/** The effects of going live on one user. */
export interface PreviewEffect {
  kinds: PreviewKind[];
  /** The fields of the user that would change. */
  fields: string[];
  takesSeat: boolean;
  freesSeat: boolean;
  /** Why the user would be held; null: not at all. */
  held: HeldReason | null;
}

/** Says what going live would do to a user. */
export function effectOf({ owner, removed, current, would }: Previewed): PreviewEffect {
  const holds = current.seat === 'held';
  if (removed || would === null) {
    return { kinds: ['delete'], fields: ['status'], takesSeat: false, freesSeat: holds, held: null };
  }
  const held = would.held === 'no_email' ? null : would.held;
  const seat = { takesSeat: would.seat === 'held' && !holds, freesSeat: would.seat !== 'held' && holds };
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
