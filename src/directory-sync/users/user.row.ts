import type { HeldReason, Person } from '../../tenancy/identity/person.js';
import type { Current, SeatState } from '../../tenancy/identity/held.rules.js';

/** The identity and the role under which a user was in force last; `key` is the `external_id` of the platform. */
export interface KnownAs {
  user_name: string;
  user_name_key: string;
  external_id: string | null;
  email: string | null;
  key: string | null;
  role: string | null;
}

/** A user as stored: the requested state (`doc` … `active`) and the effective state (`email` … `seat`). */
export interface UserRow {
  id: string;
  directory_id: string | null;
  source: 'api' | 'scim' | 'sign-in';
  /** The SCIM resource as text, without `id`, `meta` and `groups`. */
  doc: string;
  user_name: string;
  user_name_key: string;
  external_id: string | null;
  active: boolean;
  gone: boolean;
  /** A directory once wrote the `userName`. False: the e-mail is its substitute. */
  name_written: boolean;
  version: number;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  role_set: string | null;
  /** The cost centre in force. */
  cost_center: string | null;
  /** The role of rules or default that an admin has discarded; `''`: none of them gives one; null: nothing is discarded. */
  discarded_role: string | null;
  person_external_id: string | null;
  status: 'active' | 'inactive';
  seat: SeatState;
  held: HeldReason | null;
  /** The guard holds another identity or role of the user, and no departure. */
  held_change: boolean;
  /** What the user is known as, where the written names are held or the user is out of force; null: as written. */
  known_as: KnownAs | null;
  /** The directory whose write about the user waits for an admin: it is kept apart, and the directory alone reads it back. */
  kept_for: string | null;
  released: HeldReason | null;
  ever_active: boolean;
  /** Since when the user is in force in its directory without a break, in milliseconds since 1970; null: before that was kept. */
  in_force_since: number | null;
  /** The user has left the users in force of the directory, and was brought back. */
  returned: boolean;
  /** Milliseconds since 1970. */
  created_at: number;
  updated_at: number;
  /** The version that SCIM shows: it moves with the document alone. */
  revision: number;
  /** When the document was last changed. */
  modified_at: number;
}

/** SQL for a time in milliseconds since 1970. `extract` computes a numeric: twice it is a fifth of a page's time. */
export function millisecondsSql(time: string): string {
  return `date_part('epoch', ${time}) * 1000`;
}

/** The bytes of the document of `u`. Rows from before the column was there are measured. */
export const DOC_BYTES = 'coalesce(u.doc_bytes, octet_length(u.doc::text))';

/** What SCIM shows of the writes of a document, for a table that is called `u`. */
export const RESOURCE_FACTS = `u.version - u.quiet_writes as revision,
  ${millisecondsSql('coalesce(u.resource_at, u.updated_at)')} as modified_at`;

/** Whether a directory once wrote the `userName` of `u`. Rows from before the column was there tell by their source. */
const NAME_WRITTEN = nameWritten('u');

/** The same as SQL for a table of another name. */
export function nameWritten(u: string): string {
  return `coalesce(${u}.name_written, ${u}.directory_id is not null or ${u}.source = 'scim'
    or ${u}.user_name_key is distinct from ${u}.email_key)`;
}

/** The columns of a `UserRow` but the document, for a table that is called `u`. */
export const USER_FACTS = `u.id, u.directory_id, u.source, u.user_name, u.user_name_key,
  u.external_id, u.active, u.gone_at is not null as gone, ${NAME_WRITTEN} as name_written, u.version, u.email, u.first_name, u.last_name, u.role,
  u.role_set, u.cost_center, u.discarded_role, u.person_external_id, u.status, u.seat, u.held, u.held_change, u.known_as, u.kept_for, u.released, u.ever_active,
  ${millisecondsSql('u.in_force_since')} as in_force_since, u.returned,
  ${millisecondsSql('u.created_at')} as created_at,
  ${millisecondsSql('u.updated_at')} as updated_at, ${RESOURCE_FACTS}`;

/** The columns of a `UserRow`, for a table that is called `u`. */
export const USER_COLUMNS = `u.doc::text as doc, ${USER_FACTS}`;

/** Returns the effective state of a stored user. */
export function currentOf(row: UserRow): Current {
  return {
    person: personOfRow(row),
    status: row.status,
    seat: row.seat,
    held: row.held,
    holdsDeparture: row.held === 'guard' && !row.held_change,
    everActive: row.ever_active,
  };
}

/** Returns the platform's view of a stored user. */
export function personOfRow(row: UserRow): Person {
  return {
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    role: row.role,
    external_id: row.person_external_id,
  };
}
