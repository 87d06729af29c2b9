import {
  decideInForce,
  wantsSeat,
  type Circumstances,
  type Decision,
  type Written,
} from '../../identity/held.rules.js';
import type { HeldReason } from '../../identity/person.js';
import type { TenantView } from '../../tenants/tenant.store.js';
import { draftOf, type UserDocument } from '../user.mapping.js';
import { currentOf, type UserRow } from '../user.row.js';
import type { Conflicts, WriteCase } from './write-case.js';

/**
 * Decides the effective state of a user.
 *
 * @param written the requested state
 */
export function decide(about: WriteCase, written: Written, conflicts: Conflicts): Decision {
  const { ctx, row, tenant } = about;
  const around: Circumstances = {
    emailTaken: conflicts.emailTaken,
    externalIdTaken: conflicts.externalIdTaken,
    seatFree: conflicts.seatFree,
    roleTakesSeat: takesSeat(tenant, written),
    preview: ctx.directory?.state === 'preview',
    superseded: ctx.directory?.superseded ?? false,
    isProtected: row !== null && tenant.protectedUserIds.has(row.id) && ctx.channel === 'scim',
    released: about.released,
  };
  return decideInForce(written, row && currentOf(row), around);
}

/** Returns why a removal by a directory is held: the user is gone for SCIM and stays in force. Null: it is not held. */
export function removalHeld(
  { channel, directory }: WriteCase['ctx'],
  row: UserRow,
  protectedIds: ReadonlySet<string>,
): HeldReason | null {
  if (channel !== 'scim') return null;
  const wasInForce = row.status === 'active' || row.ever_active;
  if (directory?.state === 'preview' && wasInForce) return 'preview';
  // Owner and break-glass accounts are removed by the tenant alone.
  return protectedIds.has(row.id) ? 'protected' : null;
}

/** Returns whether the write asks for a seat now. A write of a directory in preview or a superseded one never does. */
export function asksSeat(about: WriteCase, written: Written): boolean {
  const { ctx, row, tenant } = about;
  if (ctx.directory !== null && (ctx.directory.state === 'preview' || ctx.directory.superseded)) return false;
  return wantsSeat(written, row && currentOf(row), takesSeat(tenant, written));
}

/** A role that is gone from the catalogue takes a seat. */
function takesSeat(tenant: TenantView, written: Written): boolean {
  return written.person.role !== null && (tenant.roles.get(written.person.role)?.takesSeat ?? true);
}

/**
 * Returns the reason that an admin has released, as far as it still counts. It ends when the protected user is active
 * again, when an e-mail arrives, and when another key is written: that is a new question.
 */
export function stillReleased({ row, draft, released, ctx }: WriteCase & { row: UserRow }): HeldReason | null {
  if (released === 'protected' && draft.active) return null;
  if (released === 'no_email' && draft.email !== null) return null;
  if (released === 'external_id_taken') {
    const keyOfDoc = (doc: UserDocument) => draftOf(doc, ctx.directory?.attributeMap).key;
    if (keyOfDoc(JSON.parse(row.doc) as UserDocument) !== keyOfDoc(draft.doc)) return null;
  }
  return released;
}
