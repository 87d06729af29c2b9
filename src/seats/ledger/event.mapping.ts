import type { ChangeSource } from '../../identity/source.js';
import type { SealedEntry } from './chain.rules.js';

/** The kinds of lines in the seat ledger. */
export const ENTRY_KINDS = [
  'claim', 'release', 'update', 'opening', 'limit', 'policy', 'repair', 'correction',
] as const; // prettier-ignore
/** The kind of a ledger entry. */
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Which events are wanted; null: no condition. */
export interface EventFilter {
  /** RFC 3339; the range is half-open. */
  readonly since: string | null;
  readonly until: string | null;
  readonly kind: EntryKind | null;
  /** The id of a directory; `none`: of users without one. */
  readonly directory: string | null;
  readonly user: string | null;
}

export const ALL_EVENTS: EventFilter = { since: null, until: null, kind: null, directory: null, user: null };

/** Who made a line and through which channel, as columns of their own. */
export interface EventOrigin {
  actor_kind: string | null;
  actor_id: string | null;
  actor: string | null;
  channel: 'scim' | 'api' | 'sign_in' | 'system' | null;
}

/** The origin of a ledger entry; null for what its source does not say. */
export function originOf({ source }: Pick<SealedEntry, 'source'>): EventOrigin {
  const { actor, surface } = source as Partial<ChangeSource>;
  return {
    actor_kind: actor?.kind ?? null,
    actor_id: actor?.id ?? null,
    actor: actor?.name ?? null,
    channel: surface === 'sign-in' ? 'sign_in' : (surface ?? null),
  };
}

/** An entry as the API shows it: the sealed line, and its origin. */
export function eventView(entry: SealedEntry): SealedEntry & EventOrigin {
  return { ...entry, ...originOf(entry) };
}
