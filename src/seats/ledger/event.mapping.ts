import type { ChangeSource } from '../../tenancy/identity/person.js';
import type { SealedEntry } from './chain.rules.js';

/** The kinds of lines in the seat ledger. */
export const LEDGER_ENTRY_KINDS = [
  'claim', 'release', 'update', 'opening', 'limit', 'policy', 'repair', 'correction',
] as const; // prettier-ignore
/** The kind of a ledger entry. */
type LedgerEntryKind = (typeof LEDGER_ENTRY_KINDS)[number];

/** Which events are wanted; null: no condition. */
export interface EventFilter {
  /** RFC 3339; the range is half-open. */
  readonly since: string | null;
  readonly until: string | null;
  readonly kind: LedgerEntryKind | null;
  /** The id of a directory; `none`: of users without one. */
  readonly directory: string | null;
  readonly user: string | null;
}

export const ALL_EVENTS: EventFilter = { since: null, until: null, kind: null, directory: null, user: null };

/** Who made a line and through which channel, as columns of their own. */
interface EventOrigin {
  actor_kind: string | null;
  actor_id: string | null;
  actor: string | null;
  channel: 'scim' | 'api' | 'sign_in' | 'system' | null;
}

/** The origin of a ledger entry; null for what its source does not say. */
export function eventOriginOf({ source }: Pick<SealedEntry, 'source'>): EventOrigin {
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
  return { ...entry, ...eventOriginOf(entry) };
}

/** What is looked up of a user when a line is shown. */
export interface ShownPerson {
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}

/** The columns of a line in CSV. */
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

/** What the lines about limit and policy, and corrections, have in `details`. */
interface LineDetails {
  limit?: number | null;
  policy?: Partial<Record<'directory' | 'api' | 'sign_in', string>>;
  holds?: boolean;
  first?: { sequence: number | null } | null;
  second?: { sequence: number | null } | null;
}

/**
 * Returns a line as the cells of CSV, in which no cell is an object.
 *
 * @param person the user of the line; undefined: no user, or one who is not there any more
 */
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
