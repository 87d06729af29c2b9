import type { Cause, RoleOrigin, Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { Decision, Written } from '../../../tenancy/identity/held.rules.js';
import type { UserChange } from '../../../tenancy/identity/person.js';
import { type UserRow, storedDocument } from '../user.row.js';
import type { UserWithGroups } from '../users.repository.js';
import { identityStep } from './authority.rules.js';
import { knownAfter } from './known-as.rules.js';
import { discardedRoleAfter, roleOrigin } from './state.rules.js';
import type { UserWrite, Edit, WriteCase, Stamp } from './write-case.js';

/** @throws {DocumentTooLarge} when the document is over the limit */
export function newWrite(about: WriteCase, decision: Decision, { id, at, createdAt = at }: Stamp): UserWrite {
  return {
    id,
    directoryId: about.ctx.directory?.id ?? null,
    source: about.ctx.channel,
    draft: about.draft,
    document: storedDocument(about.draft.doc, null),
    decision,
    roleSet: about.roleSet,
    discardedRole: null,
    released: null,
    keptFor: null,
    everActive: isKnownToPlatform(decision),
    knownAs: null,
    nameWritten: about.ctx.directory !== null,
    identity: null,
    costCenter: costCenterIn(about, decision),
    createdAt,
    at,
  };
}

/** @throws {DocumentTooLarge} when the document is over the limit and larger than the stored one */
export function nextWrite(about: WriteCase & { row: UserRow }, edit: Edit, decision: Decision, at: Date): UserWrite {
  const { row } = about;
  const directoryId = edit.kind === 'link' ? edit.directoryId : row.directory_id;
  const write: UserWrite = {
    id: row.id,
    directoryId,
    source: row.source,
    draft: about.draft,
    document: storedDocument(about.draft.doc, row.doc),
    decision,
    roleSet: about.roleSet,
    discardedRole: discardedRoleAfter(about, edit),
    released: isSeatOver(about, decision) ? null : about.released,
    keptFor: about.keptFor ?? null,
    everActive: row.ever_active || isKnownToPlatform(decision),
    knownAs: edit.kind === 'discard' ? null : knownAfter(row, about.draft, decision),
    // The userName of an unmanaged user is its e-mail, unless a directory once wrote it.
    nameWritten: directoryId !== null || (row.name_written && about.draft.userName === row.user_name),
    identity: null,
    costCenter: costCenterIn(about, decision),
    createdAt: new Date(row.created_at),
    // A clock that was set back must not make a change look older than the previous one.
    at: new Date(Math.max(at.getTime(), row.updated_at)),
  };
  // The sign-in has just proved the user: its own binding stays.
  const isProved = about.ctx.channel === 'sign-in';
  if (edit.kind !== 'discard' && !isProved) write.identity = identityStep(about.tenant, row, write);
  return write;
}

/** Returns whether neither the effective state nor the discarded role changes. */
export function isSame(about: WriteCase & { row: UserRow }, edit: Edit, decision: Decision): boolean {
  const { row } = about;
  const { inForce } = decision;
  return (
    row.cost_center === costCenterIn(about, decision) &&
    row.status === inForce.status &&
    row.seat === decision.seat &&
    row.held === decision.held &&
    row.held_change === (decision.heldChange ?? false) &&
    row.kept_for === (about.keptFor ?? null) &&
    row.role === inForce.role &&
    row.email === inForce.email &&
    row.first_name === inForce.first_name &&
    row.last_name === inForce.last_name &&
    row.person_external_id === inForce.external_id &&
    row.discarded_role === discardedRoleAfter(about, edit)
  );
}

/** Returns the stored row after a write. The statement answers revision and groups of an existing user. */
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
    held_change: decision.heldChange ?? false,
    known_as: write.knownAs,
    kept_for: write.keptFor,
    released: write.released,
    ever_active: write.everActive,
    in_force_since: comesIntoForce(before, write) ? write.at.getTime() : (before?.in_force_since ?? null),
    returned: isReturned(before, write),
    created_at: write.createdAt.getTime(),
    updated_at: write.at.getTime(),
    revision: before?.revision ?? 1,
    modified_at: before?.modified_at ?? write.at.getTime(),
    groups: before?.groups ?? null,
    manager: before?.manager ?? null,
  };
}

export function comesIntoForce(before: UserRow | null, { decision, directoryId }: UserWrite): boolean {
  if (decision.inForce.status !== 'active') return false;
  return before === null || before.status !== 'active' || directoryId !== before.directory_id;
}

/** Returns whether the directory has brought a user back who was in force in it before. */
export function isReturned(before: UserRow | null, write: UserWrite): boolean {
  if (before === null || write.directoryId !== before.directory_id) return false;
  return before.returned || (before.ever_active && comesIntoForce(before, write));
}

/** Returns whether a user who was admitted over the limit has lost the seat, and waits for none. */
function isSeatOver({ row, released }: WriteCase & { row: UserRow }, { seat, held }: Decision): boolean {
  return released === 'no_seat' && seat !== 'held' && (row.seat === 'held' || held === null);
}

/**
 * Returns the effective cost centre. The platform never receives it, so it holds no user; a reason that holds all
 * values holds the cost centre too.
 */
function costCenterIn({ ctx, row, draft }: WriteCase, { held }: Decision): string | null {
  const shown = ctx.directory?.state === 'preview' || (ctx.directory?.superseded ?? false);
  const asBefore = shown || held === 'protected' || held === 'guard';
  return asBefore && row !== null ? row.cost_center : draft.costCenter;
}

/** The platform knows a user once the user is active and has an address. */
function isKnownToPlatform({ inForce }: Decision): boolean {
  return inForce.status === 'active' && inForce.email !== null;
}

/** `edit` is null for a new user. `written` is the requested state of the decision. */
export function causeOfWrite(
  about: WriteCase,
  edit: Edit | null,
  { written, decision }: { written: Written; decision: Decision },
  { changed }: UserChange,
): Cause {
  // Naming each field is faster than a spread: see `withStatus`.
  const { kind, group, reason, users } = edit?.trigger ?? about.trigger ?? triggerOf(about, edit);
  const isRequested = decision.inForce.role === written.person.role;
  const role = !changed.includes('role') ? undefined : isRequested ? roleOrigin(about) : NO_SEAT;
  return { kind, group, reason, users, role, held: decision.held ?? undefined };
}

const NO_SEAT: RoleOrigin = { by: 'no_seat' };

function triggerOf({ ctx, row }: WriteCase, edit: Edit | null): Trigger {
  const reason = ctx.inTurn === true ? 'no_seat' : (row?.held ?? undefined);
  switch (edit?.kind) {
    case 'reconsider':
      return { kind: 'hold_ended', reason };
    case 'discard':
      return { kind: 'discarded', reason };
    case 'link':
      return { kind: 'linked' };
    default:
      return { kind: 'written' };
  }
}
