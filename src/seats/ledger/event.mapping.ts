import type { ChangeSource } from '../../tenancy/identity/person.js';
import type { SealedEntry } from './chain.rules.js';

export const LEDGER_ENTRY_KINDS = [
  'claim', 'release', 'update', 'opening', 'limit', 'policy', 'repair', 'correction',
] as const; // prettier-ignore
type LedgerEntryKind = (typeof LEDGER_ENTRY_KINDS)[number];

export interface EventFilter {
  /** RFC 3339; the range is half-open. */
  readonly since: string | null;
  readonly until: string | null;
  readonly kind: LedgerEntryKind | null;
  /** The id of a directory; `none` for users without one. */
  readonly directory: string | null;
  readonly user: string | null;
}

export const ALL_EVENTS: EventFilter = { since: null, until: null, kind: null, directory: null, user: null };

interface EventOrigin {
  actor_kind: string | null;
  actor_id: string | null;
  actor: string | null;
  channel: 'scim' | 'api' | 'sign_in' | 'system' | null;
}

export function eventOriginOf({ source }: Pick<SealedEntry, 'source'>): EventOrigin {
  const { actor, surface } = source as Partial<ChangeSource>;
  return {
    actor_kind: actor?.kind ?? null,
    actor_id: actor?.id ?? null,
    actor: actor?.name ?? null,
    channel: surface === 'sign-in' ? 'sign_in' : (surface ?? null),
  };
}

/** Returns an entry with its origin, as the API shows it. */
export function eventView(entry: SealedEntry): SealedEntry & EventOrigin {
  return { ...entry, ...eventOriginOf(entry) };
}

/** The facts of a user that are shown beside a line. */
export interface ShownPerson {
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}

export const EVENT_COLUMNS = [
  'sequence',
  'effective_at',
  'occurred_at',
  'kind',
  'user_id',
  'first_name',
  'last_name',
  'email',
  'delta',
  'count_after',
  'role',
  'directory_id',
  'cost_center',
  'reason',
  'limit',
  'policy_directory',
  'policy_api',
  'policy_sign_in',
  'holds',
  'corrects_first',
  'corrects_second',
  'actor_kind',
  'actor_id',
  'actor',
  'channel',
  'request_id',
  'hash',
] as const;

interface LineDetails {
  limit?: number | null;
  policy?: Partial<Record<'directory' | 'api' | 'sign_in', string>>;
  holds?: boolean;
  first?: { sequence: number | null } | null;
  second?: { sequence: number | null } | null;
}

/** Returns the cells of CSV. `person` is undefined for a line without a user, or with a deleted one. */
export function eventCells(entry: SealedEntry, person: ShownPerson | undefined): unknown[] {
  const details = (entry.details ?? {}) as LineDetails;
  const cells: Record<string, unknown> = {
    ...eventView(entry),
    ...person,
    limit: details.limit === null ? 'none' : details.limit,
    policy_directory: details.policy?.directory,
    policy_api: details.policy?.api,
    policy_sign_in: details.policy?.sign_in,
    holds: details.holds,
    corrects_first: details.first?.sequence,
    corrects_second: details.second?.sequence,
    request_id: (entry.source as Partial<ChangeSource>).request_id,
  };
  return EVENT_COLUMNS.map((column) => cells[column]);
}
