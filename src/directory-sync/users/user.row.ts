import { randomBytes } from 'node:crypto';
import { DomainError } from '../../base/errors/domain-error.js';
import type { Current, SeatState } from '../../tenancy/identity/held.rules.js';
import type { HeldReason, Person } from '../../tenancy/identity/person.js';

/** The last identity and role in force; `key` is the `external_id` of the platform. */
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
  /** A directory once wrote the `userName`. False when the e-mail is its substitute. */
  name_written: boolean;
  version: number;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  role_set: string | null;
  /** In force. */
  cost_center: string | null;
  /**
   * The role of rules or default that an administrator has discarded; `''` when none gives one; null without a discard.
   */
  discarded_role: string | null;
  person_external_id: string | null;
  status: 'active' | 'inactive';
  seat: SeatState;
  held: HeldReason | null;
  /** The guard holds another identity or role of the user, not a departure. */
  held_change: boolean;
  /**
   * The former identity, where the written one is held or the user is out of force; null when the two are the same.
   */
  known_as: KnownAs | null;
  /** The directory whose write about the user waits for an administrator. Only this directory reads the write back. */
  kept_for: string | null;
  released: HeldReason | null;
  ever_active: boolean;
  /**
   * The begin of the time in force in the directory without a break, in milliseconds since 1970; null in older rows.
   */
  in_force_since: number | null;
  /** The user left the users in force of the directory, and was brought back. */
  returned: boolean;
  /** Milliseconds since 1970. */
  created_at: number;
  updated_at: number;
  /** The version that SCIM shows: only changes of the document move it. */
  revision: number;
  modified_at: number;
}

/** SQL for a time in milliseconds since 1970. `extract` computes a numeric: twice that is a fifth of a page's time. */
export function millisecondsSql(time: string): string {
  return `date_part('epoch', ${time}) * 1000`;
}

/** The bytes of the document of `u`. Rows older than the column are measured. */
export const DOC_BYTES = 'coalesce(u.doc_bytes, octet_length(u.doc::text))';

export const RESOURCE_FACTS = `u.version - u.quiet_writes as revision,
  ${millisecondsSql('coalesce(u.resource_at, u.updated_at)')} as modified_at`;

/** Whether a directory once wrote the `userName` of `u`. In rows older than the column the source decides. */
const NAME_WRITTEN = nameWritten('u');

export function nameWritten(u: string): string {
  return `coalesce(${u}.name_written, ${u}.directory_id is not null or ${u}.source = 'scim'
    or ${u}.user_name_key is distinct from ${u}.email_key)`;
}

export const USER_FACTS = `u.id, u.directory_id, u.source, u.user_name, u.user_name_key,
  u.external_id, u.active, u.gone_at is not null as gone, ${NAME_WRITTEN} as name_written, u.version, u.email, u.first_name, u.last_name, u.role,
  u.role_set, u.cost_center, u.discarded_role, u.person_external_id, u.status, u.seat, u.held, u.held_change, u.known_as, u.kept_for, u.released, u.ever_active,
  ${millisecondsSql('u.in_force_since')} as in_force_since, u.returned,
  ${millisecondsSql('u.created_at')} as created_at,
  ${millisecondsSql('u.updated_at')} as updated_at, ${RESOURCE_FACTS}`;

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

export function personOfRow(row: UserRow): Person {
  return {
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    role: row.role,
    external_id: row.person_external_id,
  };
}

/** Bytes of UTF-8 JSON of a user or a group. Members of a group are rows and do not count. */
export const MAX_DOCUMENT_BYTES = 256 * 1024;

export interface StoredDocument {
  readonly text: string;
  /** UTF-8. */
  readonly bytes: number;
}

/** 422 in the API, 400 `invalidValue` in SCIM (RFC 7644 §3.12). */
export class DocumentTooLarge extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'document_too_large';
  constructor(bytes: number) {
    super(
      `The record would have ${bytes} bytes as JSON after this write, and a stored record has at most ` +
        `${MAX_DOCUMENT_BYTES}. Nothing was changed. Send shorter or fewer values.`,
      { members: { limit: MAX_DOCUMENT_BYTES, bytes } },
    );
  }
}

/**
 * Makes the stored form of a document without `id`, `meta`, `groups` and `members`. Every write of a user or a group
 * passes here.
 *
 * @param before the stored text, or null. A document over the limit may shrink or stay unchanged, so that its record
 * can be deactivated.
 * @throws {DocumentTooLarge} when the document is over the limit and larger than before
 */
export function storedDocument(document: object, before: string | null): StoredDocument {
  const text = JSON.stringify(document);
  const bytes = Buffer.byteLength(text);
  const measured = bytes + roomForActive(document);
  if (measured > MAX_DOCUMENT_BYTES && measured > sizeBefore(before)) throw new DocumentTooLarge(measured);
  return { text, bytes };
}

/** Measures a stored text in the form of a write: the database adds blanks to the text. */
function sizeBefore(before: string | null): number {
  if (before === null) return 0;
  const document = JSON.parse(before) as object;
  return Buffer.byteLength(JSON.stringify(document)) + roomForActive(document);
}

/** Bytes that `"active":false` would add, counted in advance: a full document must not prevent a departure. */
function roomForActive({ active }: { active?: unknown }): number {
  if (active === undefined) return ',"active":false'.length;
  return active === true ? 1 : 0;
}

/**
 * SQL for the key of a `userName` that is free for SCIM while its user is kept; `u` is the table. No client can write
 * such a name (U+0001). The key begins with the name, so that the name finds the user again.
 */
export const ASIDE_KEY = `chr(1) || u.user_name_key || chr(1) || u.id`;

/** Returns the bounds, both exclusive, of the keys of kept users of this name. */
export function asideKeys(userNameKey: string): [string, string] {
  return [`\u0001${userNameKey}\u0001`, `\u0001${userNameKey}\u0002`];
}

/** Returns whether a key is one of {@link ASIDE_KEY}. */
export function isAside(key: string): boolean {
  return key.startsWith('\u0001');
}

/**
 * Returns a name with a random suffix, for a user whose `userName` another user has. An IdP never takes the result for
 * an e-mail address.
 */
export function standIn(name: string): string {
  return `${name}#${randomBytes(4).toString('hex')}`;
}
