import { seatLine, type HolderFacts, type SeatLine } from '../../../seats/seat.rules.js';
import type { Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { Decision } from '../../../tenancy/identity/held.rules.js';
import { withStatus, type HeldReason, type InForce, type UserChange } from '../../../tenancy/identity/person.js';
import { changeBetween, endsSessions, mustForward } from '../../../tenancy/identity/user-change.rules.js';
import type { GuardFigures } from '../../directories/directory.js';
import { departureOf, type DepartureKind } from '../guard/guard.rules.js';
import type { FormerUser, GuardedWrite } from '../guard/guard.service.js';
import { emailKey, type UserDraft } from '../user.mapping.js';
import { currentOf, personOfRow, type UserRow } from '../user.row.js';
import { isOtherIdentity, knownAs, signInName } from './known-as.rules.js';
import type { UserWrite, Edit, WriteCase, WriteContext } from './write-case.js';

export type Ending =
  | { kind: 'credentials'; why: 'deactivated' | 'deleted' }
  | { kind: 'sessions'; why: 'role_changed' }
  | { kind: 'identities' }
  /** The user administers and got another identity: each binding is made anew. */
  | { kind: 'bindings' }
  /** A directory takes over a user that a sign-in created. `proven`: the proof was about the same e-mail. */
  | { kind: 'unproven_identities'; proven: boolean }
  /** The user lost this name: bindings of other users that were made by the name end. */
  | { kind: 'former_links'; madeBy: 'user_name' | 'email'; name: string };

export interface Consequences {
  seat: SeatLine | null;
  endings: Ending[];
  change: UserChange;
  forward: boolean;
}

/** `before` is null for a new user. */
export function consequencesOfWrite(before: UserRow | null, write: UserWrite): Consequences {
  const after = write.decision.inForce;
  const seat = seatLine(before?.seat ?? 'none', write.decision.seat, {
    role: after.role ?? before?.role ?? null,
    directoryId: write.directoryId,
    costCenter: write.costCenter,
    known: before && holderFacts(before),
    reason: before === null ? 'created' : reasonOf(before, write),
  });
  const endings: Ending[] = before === null ? [] : endingsOf(before, write);
  const change = changeBetween(before && inForceOf(before), after, before?.ever_active ?? false);
  if (change === null) {
    // The resource changed and the person did not: recorded, and not forwarded.
    const noted: UserChange = { kind: 'updated', person: personOfRow(before!), status: before!.status, changed: [] };
    return { seat, endings, change: noted, forward: false };
  }
  if (change.kind === 'deactivated') endings.push({ kind: 'credentials', why: 'deactivated' });
  else if (before !== null && endsSessions(change)) endings.push({ kind: 'sessions', why: 'role_changed' });
  return { seat, endings, change, forward: mustForward(change, write.everActive) };
}

export function consequencesOfRemoval(before: UserRow): Consequences {
  const seat = seatLine(before.seat, 'none', { ...holderFacts(before), reason: 'deleted' });
  const change = changeBetween(inForceOf(before), withStatus(personOfRow(before), 'deleted'), before.ever_active)!;
  const endings: Ending[] = [
    { kind: 'credentials', why: 'deleted' },
    { kind: 'identities' },
    ...formerNames(before, { user_name: null, email: null }),
  ];
  return { seat, endings, change, forward: mustForward(change, before.ever_active) };
}

function endingsOf(before: UserRow, write: UserWrite): Ending[] {
  const { directoryId, draft, decision, identity } = write;
  const isKnown = decision.inForce.status === 'active' && write.knownAs !== null;
  const userName = isKnown ? write.knownAs!.user_name : draft.userName;
  const endings = formerNames(before, { user_name: userName, email: decision.inForce.email });
  if (identity !== null) return [{ kind: 'bindings' }, ...endings];
  if (before.source !== 'sign-in' || before.directory_id !== null || directoryId === null) return endings;
  const proven = draft.email !== null && before.email !== null && emailKey(draft.email) === emailKey(before.email);
  return [{ kind: 'unproven_identities', proven }, ...endings];
}

function formerNames(before: UserRow, now: { user_name: string | null; email: string | null }): Ending[] {
  return (['user_name', 'email'] as const).flatMap((madeBy): Ending[] => {
    const name = madeBy === 'email' ? before.email : signInName(before);
    const isKept = name === null || name.toLowerCase() === now[madeBy]?.toLowerCase();
    return isKept ? [] : [{ kind: 'former_links', madeBy, name }];
  });
}

function inForceOf(row: UserRow): InForce {
  return withStatus(personOfRow(row), row.status);
}

function holderFacts(row: UserRow): HolderFacts {
  return { role: row.role, directoryId: row.directory_id, costCenter: row.cost_center };
}

function reasonOf(row: UserRow, { directoryId, costCenter, decision }: UserWrite): string {
  if (decision.inForce.status !== row.status) return decision.inForce.status;
  if (decision.inForce.role !== row.role || decision.seat !== row.seat) return 'role';
  if (directoryId !== row.directory_id) return 'directory';
  return costCenter === row.cost_center ? 'role' : 'cost_center';
}

export function guardedEdit(
  { ctx, row, draft }: WriteCase & { row: UserRow },
  edit: Edit,
  decision: Decision,
  at: Date,
): GuardedWrite | null {
  const { inForce, seat } = decision;
  const isBack = inForce.status === 'active' && (row.status === 'inactive' || (row.seat !== 'held' && seat === 'held'));
  const how = departureOf(currentOf(row), draft.active, decision);
  if (how === null && isMassChange(ctx, row, draft, edit, decision, at)) {
    const { id, guard } = ctx.directory!;
    return { kind: 'change', directoryId: id, figures: guard as GuardFigures, isBack };
  }
  if (isBack) {
    const isOff = row.directory_id === null || ctx.directory?.guard === 'off';
    return isOff ? null : { kind: 'return', directoryId: row.directory_id! };
  }
  // A release or discard by an administrator is no departure by the directory.
  const isAdmins = edit.kind === 'discard' || edit.trigger?.kind === 'released';
  return how === null || isAdmins ? null : departure(ctx, row, how, { leftGroup: edit.trigger?.group?.id });
}

/** Users newer than this have roles that do not count yet. */
const SETTLED_MS = 7 * 24 * 3_600_000;

/** Triggers that are changes by the directory, not by an administrator or an earlier decision. */
const BY_DIRECTORY: readonly (Trigger['kind'] | undefined)[] = [undefined, 'written', 'membership'];

/**
 * Returns whether a directory gives a user another identity or role than the one in force; for a returning user, than
 * the former one. The role of a user newer than seven days does not count: IdPs send users first and their groups
 * later. Of a user of another owner only the e-mail counts: a first link brings `userName` and `externalId`.
 */
function isMassChange(
  { channel, directory }: Omit<WriteContext, 'source'>,
  row: UserRow,
  draft: UserDraft,
  { kind, trigger }: Edit,
  { inForce, heldChange }: Decision,
  at: Date,
): boolean {
  if (channel !== 'scim' || directory === null || directory.guard === 'off' || heldChange === true) return false;
  if (inForce.status !== 'active' || (row.status !== 'active' && !row.ever_active)) return false;
  if (kind === 'discard' || !BY_DIRECTORY.includes(trigger?.kind)) return false;
  if (kind === 'reconsider' && trigger === undefined) return false;
  if (row.directory_id !== directory.id) {
    const email = inForce.email;
    return row.status === 'active' && row.email !== null && (email === null || emailKey(email) !== emailKey(row.email));
  }
  const isSettled = row.in_force_since === null || row.returned || at.getTime() - row.in_force_since > SETTLED_MS;
  return isOtherIdentity(row, draft, inForce) || (isSettled && inForce.role !== knownAs(row).role);
}

export function guardedRemoval(ctx: Omit<WriteContext, 'source'>, row: UserRow): GuardedWrite | null {
  return row.status === 'active'
    ? departure(ctx, row, 'deleted', { doc: row.doc, createdAt: new Date(row.created_at) })
    : null;
}

function departure(
  { channel, directory }: Omit<WriteContext, 'source'>,
  row: UserRow,
  how: DepartureKind,
  more: Omit<FormerUser, 'person'>,
): GuardedWrite | null {
  if (channel !== 'scim' || directory === null || directory.guard === 'off') return null;
  const before = { person: personOfRow(row), ...more };
  return { kind: 'departure', how, directoryId: directory.id, figures: directory.guard, before };
}

/** Whether a departure is held with its memberships, so that a discard can give them back. */
const holdsDeparture = (held: HeldReason | null): boolean => held === 'guard' || held === 'protected';

/** Returns how the memberships of a held departure change: one is stored for a discard, or all are deleted. */
export function membershipsOf(
  row: UserRow,
  { trigger }: Edit,
  { held }: Decision,
): { memberships?: { keep: string } | 'forget' } {
  if (holdsDeparture(row.held) && !holdsDeparture(held)) return { memberships: 'forget' };
  const left = trigger?.kind === 'membership' ? trigger.group?.id : undefined;
  return left === undefined || !holdsDeparture(held) ? {} : { memberships: { keep: left } };
}
