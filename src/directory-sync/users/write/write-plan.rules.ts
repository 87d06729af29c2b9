import { seatLine } from '../../../seats/seat.rules.js';
import type { Cause, ExplainedChange, Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { Decision } from '../../../tenancy/identity/held.rules.js';
import { withStatus, type HeldReason, type Person } from '../../../tenancy/identity/person.js';
import type { GuardedWrite } from '../guard/guard.service.js';
import { rightSteps, type IdentityStep, type RightStep } from '../role.rules.js';
import { currentOf, personOfRow, type UserRow, storedDocument } from '../user.row.js';
import type { UserWithGroups } from '../users.repository.js';
import { identityStep } from './authority.rules.js';
import {
  membershipsOf,
  consequencesOfRemoval,
  consequencesOfWrite,
  guardedEdit,
  guardedRemoval,
  type Consequences,
} from './consequences.rules.js';
import type { UserNote } from './side-rows.sql.js';
import { decide, removalHeld, writtenIn } from './state.rules.js';
import { isSame, newWrite, nextWrite, causeOfWrite } from './user-write.rules.js';
import type { UserWrite, Conflicts, Edit, WriteCase, Stamp } from './write-case.js';

export type WriteCommand =
  | { kind: 'create'; about: WriteCase }
  | { kind: 'edit'; about: WriteCase & { row: UserWithGroups }; edit: Edit }
  | { kind: 'remove'; about: Pick<WriteCase, 'ctx' | 'tenant'> & { row: UserRow }; trigger?: Trigger | undefined }
  | {
      kind: 'import';
      about: WriteCase;
      account: { person: Person; status: 'active' | 'inactive'; platformId: string };
    };

type Subject =
  | { kind: 'insert'; write: UserWrite }
  /** `clashes`: a name, e-mail or key is new to the user, so another user may have it. */
  | { kind: 'update'; before: UserWithGroups; write: UserWrite; clashes: boolean }
  | { kind: 'remove'; before: UserRow; person: string }
  | { kind: 'hold_removal'; before: UserRow; reason: HeldReason };

export interface WritePlan {
  subject: Subject;
  claimsSeat: boolean;
  frees: boolean;
  /** Null for a held removal, which changes nothing in force. */
  consequences: (Omit<Consequences, 'change'> & { change: ExplainedChange | null }) | null;
  rights: (RightStep | IdentityStep)[];
  note: UserNote | null;
  guarded: GuardedWrite | null;
  /** Memberships of a held departure: one is stored for a discard, or all are deleted. */
  memberships?: { keep: string } | 'forget';
}

/**
 * Plans a write. Create, change, link, reconsider, discard, remove and import differ in their plan only.
 *
 * @param conflicts the optimistic write assumes none
 * @returns null when nothing differs
 * @throws {DocumentTooLarge} when the document is over the limit
 */
export function planWrite(command: WriteCommand, conflicts: Conflicts, stamp: Stamp): WritePlan | null {
  switch (command.kind) {
    case 'create':
      return planCreation(command.about, conflicts, stamp);
    case 'edit':
      return planEdit(command.about, command.edit, conflicts, stamp);
    case 'remove':
      return planRemoval(command, conflicts);
    case 'import':
      return planImport(command.about, command.account, stamp);
  }
}

function planCreation(about: WriteCase, conflicts: Conflicts, stamp: Stamp): WritePlan {
  const written = writtenIn(about);
  const decision = decide(about, written, conflicts);
  const write = newWrite(about, decision, stamp);
  const consequences = consequencesOfWrite(null, write);
  const cause = causeOfWrite(about, null, { written, decision }, consequences.change);
  return {
    subject: { kind: 'insert', write },
    claimsSeat: decision.seat === 'held',
    frees: false,
    consequences: because(consequences, cause),
    rights: rightSteps(about.tenant.roles, null, decision.inForce),
    note: null,
    guarded: null,
  };
}

function planEdit(
  about: WriteCase & { row: UserWithGroups },
  edit: Edit,
  conflicts: Conflicts,
  stamp: Stamp,
): WritePlan | null {
  const { row } = about;
  const written = writtenIn(about);
  if (conflicts.externalIdTaken && !conflicts.standInTaken && about.released === 'external_id_taken') {
    // An administrator has admitted the user although another one has the key: the userName replaces it.
    written.person.external_id = about.draft.userName;
    conflicts = { ...conflicts, externalIdTaken: false };
  }
  const decision = decide(about, written, conflicts);
  if (edit.kind === 'reconsider' && isSame(about, edit, decision)) return null;
  const write = nextWrite(about, edit, decision, stamp.at);
  const identity = edit.kind === 'discard' ? null : identityStep(about.tenant, row, write);
  const consequences = consequencesOfWrite(row, write);
  const cause = causeOfWrite(about, edit, { written, decision }, consequences.change);
  return {
    subject: { kind: 'update', before: row, write, clashes: hasNewNames(row, write) },
    claimsSeat: row.seat !== 'held' && decision.seat === 'held',
    frees: freesSomething(row, decision),
    consequences: because(consequences, cause),
    rights: [...rightSteps(about.tenant.roles, row, decision.inForce), ...(identity === null ? [] : [identity])],
    note: edit.kind === 'link' ? linkNote(row, edit) : departureNote(row, edit, decision),
    guarded: guardedEdit(about, edit, decision, stamp.at),
    ...membershipsOf(row, edit, decision),
  };
}

function planRemoval(
  { about, trigger }: Extract<WriteCommand, { kind: 'remove' }>,
  { guardReached }: Conflicts,
): WritePlan {
  const { ctx, tenant, row } = about;
  const reason = removalHeld(ctx, row, tenant.protectedUserIds, guardReached);
  const base = { claimsSeat: false, frees: true, rights: [], note: null, guarded: null };
  if (reason !== null) {
    const note: UserNote = { kind: 'held', detail: { event: 'held', reason } };
    return { ...base, subject: { kind: 'hold_removal', before: row, reason }, consequences: null, note };
  }
  const consequences = consequencesOfRemoval(row);
  const person = JSON.stringify(withStatus(personOfRow(row), row.status));
  return {
    ...base,
    subject: { kind: 'remove', before: row, person },
    consequences: because(consequences, trigger ?? { kind: 'written' }),
    rights: rightSteps(tenant.roles, row, null),
    guarded: guardedRemoval(ctx, row),
  };
}

/**
 * Plans the import of a user of the platform: nothing is forwarded, and the seat is an opening balance, which counts as
 * overage where the limit is lower.
 */
function planImport(
  about: WriteCase,
  { person, status, platformId }: Extract<WriteCommand, { kind: 'import' }>['account'],
  { id, at }: Stamp,
): WritePlan {
  const { roles } = about.tenant;
  const role = person.role !== null && roles.has(person.role) ? person.role : 'User';
  const takesSeat = status === 'active' && (roles.get(role)?.takesSeat ?? true);
  const decision: Decision = {
    inForce: { ...person, role, status },
    seat: takesSeat ? 'held' : 'none',
    held: null,
  };
  const write: UserWrite = {
    id,
    directoryId: null,
    source: 'api',
    draft: about.draft,
    document: storedDocument(about.draft.doc, null),
    decision,
    roleSet: role,
    discardedRole: null,
    released: null,
    keptFor: null,
    identity: null,
    everActive: true,
    knownAs: null,
    nameWritten: false,
    costCenter: null,
    createdAt: at,
    at,
  };
  const seat = seatLine('none', decision.seat, {
    role,
    directoryId: null,
    costCenter: null,
    opening: true,
    reason: `imported (${platformId})`,
  });
  return {
    subject: { kind: 'insert', write },
    claimsSeat: false,
    frees: false,
    consequences: { seat, endings: [], change: null, forward: false },
    rights: rightSteps(roles, null, decision.inForce),
    note: null,
    guarded: null,
  };
}

/** Adds the cause to the change. Naming each field is faster than a spread: see `withStatus`. */
function because(
  { seat, endings, change: { kind, person, status, changed }, forward }: Consequences,
  cause: Cause,
): WritePlan['consequences'] {
  return { seat, endings, change: { kind, person, status, changed, cause }, forward };
}

/** Returns whether another user may have a name that this write gives the user. */
function hasNewNames(row: UserRow, { draft, decision: { inForce } }: UserWrite): boolean {
  if (draft.userNameKey !== row.user_name_key) return true;
  if (inForce.status !== 'active') return false;
  return row.status !== 'active' || inForce.email !== row.email || inForce.external_id !== row.person_external_id;
}

function freesSomething(before: UserRow, { inForce, seat }: Decision): boolean {
  if (before.seat === 'held' && seat !== 'held') return true;
  if (before.status !== 'active') return false;
  return (
    inForce.status !== 'active' || before.email !== inForce.email || before.person_external_id !== inForce.external_id
  );
}

function linkNote(row: UserRow, { by, directoryId }: Extract<Edit, { kind: 'link' }>): UserNote {
  if (row.gone) {
    return { kind: 'held', detail: { event: 'returned', reason: row.held ?? 'protected' } };
  }
  return { kind: 'linked', detail: { by, directory_id: directoryId, from_directory_id: row.directory_id } };
}

/**
 * Returns the note of a held departure that takes effect without an administrator or the end of protection, such as by
 * a review of roles. Those two add their own note.
 */
function departureNote(row: UserRow, { trigger }: Edit, { inForce }: Decision): UserNote | null {
  const isHeld = row.held === 'protected' || currentOf(row).holdsDeparture;
  if (!isHeld || row.status !== 'active' || inForce.status === 'active') return null;
  if (trigger?.kind === 'released' || trigger?.kind === 'hold_ended') return null;
  return { kind: 'held', detail: { event: 'released', reason: row.held! } };
}
