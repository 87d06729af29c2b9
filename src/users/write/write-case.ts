import type { SqlRunner } from '../../base/database/database.js';
import type { WriteStatement } from '../../base/database/write-statement.js';
import { newId } from '../../base/ids.js';
import { decideInForce, wantsSeat, type Circumstances, type Decision, type Written } from '../../identity/held.rules.js';
import type { LinkedBy } from '../../identity/adoption.rules.js';
import type { HeldReason } from '../../identity/person.js';
import type { TenantView } from '../../tenants/tenant.store.js';
import { discardedRoleAfter } from './requested-state.rules.js';
import { storedDocument } from './stored-document.js';
import { draftOf, type UserDocument, type UserDraft } from '../user.mapping.js';
import { currentOf, type UserRow } from '../user.row.js';
import type { UserWithGroups } from '../users.repository.js';
import { type UserWrite } from './subject.sql.js';
import type { WriteContext } from './write-context.js';

/** What a door wants of somebody who is there already. */
export interface Edit {
  draft: UserDraft;
  /** Takes the person over: from nobody, or from the directory that is being replaced. */
  directoryId?: string | null;
  /** The write links the user with the directory, and by what. */
  linkedBy?: LinkedBy | undefined;
  roleSet?: string | null;
  released?: HeldReason | null;
  /** The role of rules or default that is out of force from now on. */
  discardedRole?: string | null;
  /** Nothing was written: only what is in force is worked out again, and stored if it differs. */
  onlyIfDifferent?: boolean;
  /** What else belongs to the same write, such as its line in the audit log. */
  also?: (tx: WriteStatement) => void;
  /** The row is held before anything is written: what `also` ends has to see what a sign-in is just writing down. */
  held?: boolean;
  /** What has to see the write done, and stands or falls with it: then the write is made in a transaction. */
  upon?: Upon;
}

/** Statements in the transaction of a write, about the person written. */
export type Upon = (tx: SqlRunner, userId: string) => Promise<void>;

/** Everything that is known when it is decided what comes into force; nothing here asks the database. */
export interface Case {
  /** The write. A decision does not depend on its source; a plan has none. */
  ctx: Omit<WriteContext, 'source'>;
  tenant: TenantView;
  /** null: somebody new. */
  row: UserRow | null;
  draft: UserDraft;
  /** The role that was set through the users API; a directory's own word comes first. */
  roleSet: string | null;
  /** Roles that the directory's group rules give. */
  fromRules: string[];
  released: HeldReason | null;
}

/** What has to be asked of the database before a decision is safe. The plain way assumes that nothing stands in it. */
export interface Obstacles {
  emailTaken: boolean;
  externalIdTaken: boolean;
  seatFree: boolean;
}

export const NO_OBSTACLES: Obstacles = { emailTaken: false, externalIdTaken: false, seatFree: true };

/** Decides what comes into force. Pure: the same case and obstacles give the same decision. */
export function decide(about: Case, written: Written, obstacles: Obstacles): Decision {
  const { ctx, row, tenant } = about;
  const around: Circumstances = {
    ...obstacles,
    roleTakesSeat: takesSeat(tenant, written),
    preview: ctx.directory?.state === 'preview',
    superseded: ctx.directory?.superseded ?? false,
    isProtected: row !== null && tenant.protectedUserIds.has(row.id) && ctx.door === 'scim',
    released: about.released,
  };
  return decideInForce(written, row && currentOf(row), around);
}

/** Why a removal by a directory is held: gone for SCIM, in force for all else. Null: it is not. */
export function removalHeld(ctx: WriteContext, row: UserRow, protectedIds: ReadonlySet<string>): HeldReason | null {
  if (ctx.door !== 'scim') return null;
  const wasInForce = row.status === 'active' || row.ever_active;
  if (ctx.directory?.state === 'preview' && wasInForce) return 'preview';
  // Owner and break-glass accounts are put out by the tenant alone.
  return protectedIds.has(row.id) ? 'protected' : null;
}

/** Whether the write asks for a seat now. What a directory in preview or a superseded one writes never does. */
export function asksSeat(about: Case, written: Written): boolean {
  const { ctx, row, tenant } = about;
  if (ctx.directory !== null && (ctx.directory.state === 'preview' || ctx.directory.superseded)) return false;
  return wantsSeat(written, row && currentOf(row), takesSeat(tenant, written));
}

/** Whether the role as written takes a seat; a role that is gone from the catalogue does. */
export function takesSeat(tenant: TenantView, written: Written): boolean {
  return written.person.role !== null && (tenant.roles.get(written.person.role)?.takesSeat ?? true);
}

/**
 * The reason that an admin has released and that still is: the owner who was put out has come back, or another key was
 * written, and it is a new question.
 */
export function stillReleased({ row, draft, released, ctx }: Case & { row: UserRow }): HeldReason | null {
  if (released === 'protected' && draft.active) return null;
  if (released === 'no_email' && draft.email !== null) return null;
  if (released === 'external_id_taken') {
    const keyOfDoc = (doc: UserDocument) => draftOf(doc, ctx.directory?.attributeMap).key;
    if (keyOfDoc(JSON.parse(row.doc) as UserDocument) !== keyOfDoc(draft.doc)) return null;
  }
  return released;
}

/** True once somebody who was let in over the limit has no seat any more, and waits for none either. */
function isSeatOver({ row, released }: Case & { row: UserRow }, { seat, held }: Decision): boolean {
  return released === 'no_seat' && seat !== 'held' && (row.seat === 'held' || held === null);
}

/**
 * The row of somebody new.
 *
 * @throws {DocumentTooLarge} when the document is over the limit
 */
export function newWrite(about: Case, decision: Decision): UserWrite {
  return {
    id: newId('usr'),
    directoryId: about.ctx.directory?.id ?? null,
    source: about.ctx.door,
    draft: about.draft,
    document: storedDocument(about.draft.doc, null),
    decision,
    roleSet: about.roleSet,
    discardedRole: null,
    released: null,
    everActive: isKnownThere(decision),
    nameWritten: about.ctx.directory !== null,
    costCenter: costCenterIn(about, decision),
    at: new Date(),
  };
}

/**
 * The next state of somebody who is there.
 *
 * @throws {DocumentTooLarge} when the document is over the limit and larger than the stored one
 */
export function nextWrite(about: Case & { row: UserRow }, edit: Edit, decision: Decision): UserWrite {
  const { row } = about;
  const directoryId = edit.directoryId === undefined ? row.directory_id : edit.directoryId;
  return {
    id: row.id,
    directoryId,
    source: row.source,
    draft: about.draft,
    document: storedDocument(about.draft.doc, row.doc),
    decision,
    roleSet: about.roleSet,
    discardedRole: discardedRoleAfter(about, edit),
    released: isSeatOver(about, decision) ? null : about.released,
    everActive: row.ever_active || isKnownThere(decision),
    // A name that another channel gives to an unmanaged user is its e-mail.
    nameWritten: directoryId !== null || (row.name_written && about.draft.userName === row.user_name),
    costCenter: costCenterIn(about, decision),
    // A clock that was set back must not make a change look older than the one before.
    at: new Date(Math.max(Date.now(), row.updated_at)),
  };
}

/**
 * The cost centre in force. The platform never hears of it, so no reason holds a user for its sake; while what was written
 * has no effect, it has none either.
 */
function costCenterIn({ ctx, row, draft }: Case, { held }: Decision): string | null {
  const shown = ctx.directory?.state === 'preview' || (ctx.directory?.superseded ?? false);
  const asBefore = shown || (held !== null && held !== 'no_email');
  return asBefore && row !== null ? row.cost_center : draft.costCenter;
}

/** True if what is in force stays as it is. */
export function isSame(about: Case & { row: UserRow }, decision: Decision): boolean {
  const { row } = about;
  const { inForce } = decision;
  return (
    row.cost_center === costCenterIn(about, decision) &&
    row.status === inForce.status &&
    row.seat === decision.seat &&
    row.held === decision.held &&
    row.role === inForce.role &&
    row.email === inForce.email &&
    row.first_name === inForce.first_name &&
    row.last_name === inForce.last_name &&
    row.person_external_id === inForce.external_id
  );
}

/** The stored row after a write, without asking for it. Revision and groups of somebody who is there are the statement's to answer. */
export function rowAfter(before: UserWithGroups | null, write: UserWrite): UserWithGroups {
  const { draft, decision } = write;
  return {
    id: write.id,
    directory_id: write.directoryId,
    source: write.source,
    doc: write.document.text,
    user_name: draft.userName,
    user_name_key: draft.userNameKey,
    external_id: draft.externalId,
    active: draft.active,
    gone: false,
    name_written: write.nameWritten,
    version: before === null ? 1 : before.version + 1,
    email: decision.inForce.email,
    first_name: decision.inForce.first_name,
    last_name: decision.inForce.last_name,
    role: decision.inForce.role,
    role_set: write.roleSet,
    cost_center: write.costCenter,
    discarded_role: write.discardedRole,
    person_external_id: decision.inForce.external_id,
    status: decision.inForce.status,
    seat: decision.seat,
    held: decision.held,
    released: write.released,
    ever_active: write.everActive,
    created_at: before === null ? write.at.getTime() : before.created_at,
    updated_at: write.at.getTime(),
    revision: before?.revision ?? 1,
    modified_at: before?.modified_at ?? write.at.getTime(),
    groups: before?.groups ?? null,
    manager: before?.manager ?? null,
  };
}

/** The platform comes to know somebody once they are active and have an address. */
function isKnownThere({ inForce }: Decision): boolean {
  return inForce.status === 'active' && inForce.email !== null;
}
