import {
  BEFORE_NEEDS_ADMIN,
  decideInForce,
  wantsSeat,
  type Circumstances,
  type Decision,
  type Written,
} from '../../../tenancy/identity/held.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { draftOf, type UserDocument } from '../user.mapping.js';
import { currentOf, personOfRow, type UserRow } from '../user.row.js';
import { isOtherIdentity, isNamedAnew, knownAs } from './known-as.rules.js';
import type { Conflicts, WriteCase } from './write-case.js';

/**
 * Decides the effective state of a user.
 *
 * @param written the requested state
 */
export function decide(about: WriteCase, written: Written, conflicts: Conflicts): Decision {
  const decision = decideWithout(about, written, conflicts);
  const isFirst = decision.held !== null && BEFORE_NEEDS_ADMIN.includes(decision.held);
  if ((about.keptFor ?? null) === null || isFirst) return decision;
  return { ...decision, held: 'needs_admin' };
}

/** Decides without a look at what waits for an admin. */
function decideWithout(about: WriteCase, written: Written, conflicts: Conflicts): Decision {
  const { ctx, row, tenant, named } = about;
  const around: Circumstances = {
    emailTaken: conflicts.emailTaken,
    externalIdTaken: conflicts.externalIdTaken,
    formerTaken: conflicts.formerTaken,
    seatFree: conflicts.seatFree,
    roleTakesSeat: takesSeat(tenant, written),
    preview: ctx.directory?.state === 'preview',
    superseded: ctx.directory?.superseded ?? false,
    isProtected: row !== null && tenant.protectedUserIds.has(row.id) && ctx.channel === 'scim',
    guardReached: conflicts.guardReached,
    changesReached: conflicts.changesReached || (row !== null && isHeldChange(row, about, written)),
    renamed: row !== null && isNamedAnew(row, about.draft),
    released: about.released,
  };
  if (row === null || named === undefined || !isSilent(ctx)) {
    return decideInForce(written, row && currentOf(row), around);
  }
  const asked = namedAlone(about, written, row);
  const free = { ...around, roleTakesSeat: takesSeat(tenant, asked), preview: false, superseded: false };
  const decision = decideInForce(asked, currentOf(row), free);
  const { inForce, seat } = decision;
  const after = { ...currentOf(row), person: inForce, status: inForce.status, seat };
  return { ...decision, held: decideInForce(written, after, around).held ?? decision.held };
}

/**
 * Returns whether the guard holds another identity or role of the user, and the requested one still differs. It waits for an
 * admin, through each later review of the user.
 */
function isHeldChange(row: UserRow, { draft }: WriteCase, { person }: Written): boolean {
  if (row.held !== 'guard' || !row.held_change) return false;
  return isOtherIdentity(row, draft, person) || person.role !== knownAs(row).role;
}

/** Returns whether the writes of the directory have no effect now. */
function isSilent({ directory }: WriteCase['ctx']): boolean {
  return directory !== null && (directory.state === 'preview' || directory.superseded);
}

/** Returns the effective state with the values of the named fields, without what the directory has written. */
function namedAlone({ named = [], roleSet }: WriteCase, written: Written, row: UserRow): Written {
  const person = personOfRow(row);
  for (const field of ['email', 'first_name', 'last_name', 'external_id'] as const) {
    if (named.includes(field)) Object.assign(person, { [field]: written.person[field] });
  }
  // A role of the directory comes before the one that the users API sets, and waits with the directory.
  if (named.includes('role') && written.person.role === roleSet) person.role = roleSet;
  return { ...written, person, active: named.includes('status') ? written.active : row.status === 'active' };
}

/** Returns why a removal by a directory is held: the user is gone for SCIM and stays in force. Null: it is not held. */
export function removalHeld(
  { channel, directory }: WriteCase['ctx'],
  row: UserRow,
  protectedIds: ReadonlySet<string>,
  guardReached: boolean,
): HeldReason | null {
  if (channel !== 'scim') return null;
  const wasInForce = row.status === 'active' || row.ever_active;
  if (directory?.state === 'preview' && wasInForce) return 'preview';
  // Owner and break-glass accounts are removed by the tenant alone.
  if (protectedIds.has(row.id)) return 'protected';
  const isStopped = row.status === 'active' && (guardReached || currentOf(row).holdsDeparture);
  return isStopped && row.released !== 'guard' ? 'guard' : null;
}

/** Returns whether the write asks for a seat now. A write of a directory in preview or a superseded one never does. */
export function asksSeat(about: WriteCase, written: Written): boolean {
  const { ctx, row, tenant, named } = about;
  if (isSilent(ctx)) {
    if (row === null || named === undefined) return false;
    written = namedAlone(about, written, row);
  }
  return wantsSeat(written, row && currentOf(row), takesSeat(tenant, written));
}

/** A role that is gone from the catalogue takes a seat. */
function takesSeat(tenant: TenantView, written: Written): boolean {
  return written.person.role !== null && (tenant.roles.get(written.person.role)?.takesSeat ?? true);
}

/**
 * Returns the reason that an admin has released, as far as it still counts. It ends when a user who was let go is active
 * again, when an e-mail arrives, and when another key is written: that is a new question.
 */
export function stillReleased({ row, draft, released, ctx }: WriteCase & { row: UserRow }): HeldReason | null {
  if ((released === 'protected' || released === 'guard') && draft.active) return null;
  if (released === 'no_email' && draft.email !== null) return null;
  if (released === 'external_id_taken') {
    const keyOfDoc = (doc: UserDocument) => draftOf(doc, ctx.directory?.attributeMap).key;
    if (keyOfDoc(JSON.parse(row.doc) as UserDocument) !== keyOfDoc(draft.doc)) return null;
  }
  return released;
}

/**
 * Returns whether an admin has discarded the requested state: the user is not held, and yet not as requested. It stays so
 * until a channel writes again.
 */
export function isDiscarded(row: UserRow): boolean {
  return row.held === null && row.active !== (row.status === 'active');
}
