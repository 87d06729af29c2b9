import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { WriteStatement } from '../../base/database/write-statement.js';
import type { LinkedBy } from '../../identity/adoption.rules.js';
import type { Decision, Written } from '../../identity/held.rules.js';
import { SeatsService } from '../../seats/seats.service.js';
import type { TenantView } from '../../tenants/tenant.store.js';
import { isAside } from '../held-name.js';
import { isLost, LostRace } from './lost-race.js';
import { UserConsequences } from './consequences.rules.js';
import { clashesIn, refuseClashes } from '../user-creation.js';
import { discardedRoleAfter, writtenIn } from './requested-state.rules.js';
import * as decision from './write-case.js';
import type { Case, Edit, Obstacles } from './write-case.js';
import { addNote, type UserNote } from './user-notes.sql.js';
import type { UserRow } from '../user.row.js';
import { UsersRepository, type Holder, type UserWithGroups } from '../users.repository.js';
import { updateUser, type UpdatedUser, type UserWrite } from './subject.sql.js';
import type { WriteContext } from './write-context.js';

/** What a write came to. `linked`: a person who was there already is now this directory's. */
export interface WriteResult {
  row: UserWithGroups;
  /** `previewed`: the user stays as it is, and the write is kept for a directory in preview. */
  outcome: 'created' | 'linked' | 'changed' | 'unchanged' | 'previewed';
  /** What a link was made by. */
  linkedBy?: LinkedBy | undefined;
}

/** What a write leaves to be done once it is committed. */
export interface Done extends WriteResult {
  forwarded: boolean;
  /** A seat, an e-mail or a key has become free. */
  freed: boolean;
}

type ChangeCase = Case & { row: UserWithGroups };

/** Changes somebody who is there: the plain way in one statement, the careful one in a transaction that looks first. */
@Injectable()
export class UserChanging {
  constructor(
    private readonly db: Database,
    private readonly repository: UsersRepository,
    private readonly consequences: UserConsequences,
    private readonly seats: SeatsService,
  ) {}

  /** One statement that checks its own assumptions; null where one of them does not hold. */
  async plainly(ctx: WriteContext, tenant: TenantView, row: UserWithGroups, edit: Edit): Promise<Done | null> {
    if (edit.upon || edit.held) return null;
    const about = await this.caseOf(ctx, tenant, row, edit, this.db);
    const written = writtenIn(about);
    const decided = decision.decide(about, written, decision.NO_OBSTACLES);
    if (edit.onlyIfDifferent && isSame(about, edit, decided)) return unchanged(row);
    const { inForce } = decided;
    const claims = row.seat !== 'held' && decided.seat === 'held';
    const isOwner = row.id === tenant.ownerUserId;
    const mode = claims ? await this.seats.modeFor(ctx.tenantId, ctx.door, isOwner) : 'free';
    if (mode === 'exact') return null;
    const tx = new WriteStatement();
    const seat = claims
      ? this.seats.guard(tx, ctx.tenantId, await this.seats.limitOf(ctx.tenantId), mode, row.id)
      : null;
    const clashes =
      about.draft.userNameKey !== row.user_name_key ||
      (inForce.status === 'active' &&
        (row.status !== 'active' || inForce.email !== row.email || inForce.external_id !== row.person_external_id));
    const write = decision.nextWrite(about, edit, decided);
    updateUser(tx, ctx.tenantId, row, write, { seat, clashes, unlinked: false });
    const forwarded = this.consequences.ofWrite(tx, ctx, row, write);
    noteLink(tx, ctx, row, edit);
    edit.also?.(tx);
    try {
      const [now] = await tx.run<UpdatedUser>(this.db);
      if (now) return changed(row, now, write, forwarded);
    } catch (error) {
      if (!isLost(error)) throw error; // a clash in the very same moment
    }
    this.seats.forget(ctx.tenantId);
    return null;
  }

  /** Looks who is in the way, counts seats where they are few, then writes; the row is locked. */
  async carefully(
    tx: SqlRunner,
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
  ): Promise<Done> {
    const about = await this.caseOf(ctx, tenant, row, edit, tx);
    const written = writtenIn(about);
    const holders = await this.repository.holders(ctx.tenantId, about.draft, written.person.external_id, row.id, tx);
    const yielding = refuseClashes(ctx, holders, written.active);
    if (yielding !== null) await this.repository.giveNameAway(tx, ctx.tenantId, yielding, about.draft);
    const obstacles = await this.obstacles(tx, about, written, holders);
    const decided = decision.decide(about, written, obstacles);
    if (edit.onlyIfDifferent && isSame(about, edit, decided)) return unchanged(row);
    const work = new WriteStatement();
    const write = decision.nextWrite(about, edit, decided);
    updateUser(work, ctx.tenantId, row, write, { seat: null, clashes: false, unlinked: false });
    const forwarded = this.consequences.ofWrite(work, ctx, row, write);
    noteLink(work, ctx, row, edit);
    edit.also?.(work);
    const [now] = await work.run<UpdatedUser>(tx);
    if (!now) throw new LostRace();
    await edit.upon?.(tx, row.id);
    return changed(row, now, write, forwarded);
  }

  /** What stands in the way of coming into force; claims a seat under the tenant's lock where one is needed. */
  private async obstacles(tx: SqlRunner, about: ChangeCase, written: Written, holders: Holder[]): Promise<Obstacles> {
    const { ctx, tenant, row, released } = about;
    const taken = clashesIn(holders);
    if (taken.externalIdTaken && released === 'external_id_taken') {
      // Let in by an admin although another person has the key: the user name stands in for it.
      written.person.external_id = about.draft.userName;
      taken.externalIdTaken = false;
    }
    const wants = decision.asksSeat(about, written);
    // Who is held comes before the question of a seat; whom an admin lets in counts as overage.
    const asks = wants && !taken.emailTaken && !taken.externalIdTaken && released !== 'no_seat';
    const isOwner = row.id === tenant.ownerUserId;
    const { tenantId, door, inTurn } = ctx;
    // Whoever waits already is not sent away for a change of their name.
    const mayWait = (ctx.mayWait ?? false) || row.seat === 'waiting';
    const ask = { door, isOwner, userId: row.id, mayWait, inTurn };
    const seatFree = !asks || (await this.seats.freeUnderLock(tx, tenantId, ask));
    return { ...taken, seatFree };
  }

  private async caseOf(
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
    db: SqlRunner,
  ): Promise<ChangeCase> {
    const fromRules = ctx.directory?.hasRules
      ? await this.repository.rolesFromRules(ctx.tenantId, ctx.directory.id, row.id, db)
      : [];
    // A name that was given away stays so until another one is written.
    const isKept = isAside(row.user_name_key) && !row.gone && edit.draft.userName === row.user_name;
    if (isKept) edit.draft.userNameKey = row.user_name_key;
    const roleSet = edit.roleSet === undefined ? row.role_set : edit.roleSet;
    const about = { ctx, tenant, row, draft: edit.draft, roleSet, fromRules, released: row.released };
    return { ...about, released: edit.released === undefined ? decision.stillReleased(about) : edit.released };
  }
}

/** Adds the link of a user with a directory to the user's history. */
function noteLink(
  tx: WriteStatement,
  { tenantId, source }: WriteContext,
  row: UserRow,
  { linkedBy: by, directoryId }: Edit,
) {
  if (by === undefined || directoryId == null) return;
  const detail = { by, directory_id: directoryId, from_directory_id: row.directory_id };
  addNote(tx, tenantId, row.gone ? returned(row) : { kind: 'linked', detail }, source);
}

/** The note of a user whose removal was held and whom its directory has brought back. */
function returned({ held }: UserRow): UserNote {
  return { kind: 'held', detail: { event: 'returned', reason: held ?? 'protected', held_at: null } };
}

/** Whether neither what is in force nor what is discarded changes. */
function isSame(about: ChangeCase, edit: Edit, decided: Decision): boolean {
  const { row } = about;
  return decision.isSame(about, decided) && discardedRoleAfter(about, edit) === row.discarded_role;
}

/** Nothing was to be done. */
export function unchanged(row: UserWithGroups): Done {
  return { row, outcome: 'unchanged', forwarded: false, freed: false };
}

function changed(before: UserWithGroups, now: UpdatedUser, write: UserWrite, forwarded: boolean): Done {
  const { inForce, seat } = write.decision;
  const seatFreed = before.seat === 'held' && seat !== 'held';
  const keyFreed =
    before.status === 'active' &&
    (inForce.status !== 'active' ||
      before.email !== inForce.email ||
      before.person_external_id !== inForce.external_id);
  return {
    row: { ...decision.rowAfter(before, write), ...now },
    outcome: 'changed',
    forwarded,
    freed: seatFreed || keyFreed,
  };
}
