import { Injectable } from '@nestjs/common';
import { codeOf, Database, type SqlRunner } from '../base/database/database.js';
import { UnitOfWork } from '../base/database/unit-of-work.js';
import { NotFound } from '../base/errors/domain-error.js';
import { ForwardingService } from '../forwarding/forwarding.service.js';
import { wantsSeat, type Written } from '../identity/held.rules.js';
import type { HeldReason } from '../identity/person.js';
import { SeatsService } from '../seats/seats.service.js';
import { TenantStore, type TenantView } from '../tenants/tenant.store.js';
import { LostRace } from './lost-race.js';
import { RecentRows } from './recent-rows.js';
import { UserConsequences } from './user-consequences.js';
import { clashesIn, refuseClashes, UserCreation } from './user-creation.js';
import * as decision from './user-decision.js';
import type { Case, Edit, Obstacles } from './user-decision.js';
import { draftOf, type UserDocument, type UserDraft } from './user.mapping.js';
import { currentOf, personOfRow, type UserRow } from './user.row.js';
import { Taken, TooMuchContention } from './users.errors.js';
import { UsersRepository, type Holder, type UserWithGroups } from './users.repository.js';
import { holdRemoval, removeUser, type UserWrite, updateUser } from './user-statements.js';
import type { WriteContext } from './write-context.js';

export type { Edit } from './user-decision.js';

/** What a write came to. `linked`: a person who was there already is now this directory's. */
export interface WriteResult {
  row: UserWithGroups;
  outcome: 'created' | 'linked' | 'changed' | 'unchanged';
}

/** What a write leaves to be done once it is committed. */
interface Done extends WriteResult {
  forwarded: boolean;
  /** A seat, an e-mail or a key has become free. */
  freed: boolean;
}

type ChangeCase = Case & { row: UserWithGroups };

const ATTEMPTS = 5;

/**
 * The one way to change a person, whichever door they came through: the record, the seat, the user change and what
 * we owe the platform are one atomic write. The plain case is one guarded statement; where its guard refuses (a lost
 * race, a clash, a limit that is near) the same decision is made again in a transaction that holds the rows.
 */
@Injectable()
export class UsersService {
  constructor(
    private readonly db: Database,
    private readonly repository: UsersRepository,
    private readonly creation: UserCreation,
    private readonly consequences: UserConsequences,
    private readonly seats: SeatsService,
    private readonly forwarding: ForwardingService,
    private readonly tenants: TenantStore,
  ) {}

  private readonly recent = new RecentRows();

  /** Told when a seat, an e-mail or a key has become free: somebody may have been waiting for it. */
  onFreed: ((tenantId: string) => void) | undefined;

  /**
   * Creates a person, or links the draft with the one unmanaged person it matches. Throws `Taken` where a name (any
   * door), an e-mail or a key (users API) is somebody else's, and `SeatLimitReached` where the door's policy is `block`.
   */
  async create(ctx: WriteContext, draft: UserDraft, roleSet: string | null = null): Promise<WriteResult> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const about: Case = { ctx, tenant, row: null, draft, roleSet, fromRules: [], released: null };
    const plain = await this.creation.plainly(about);
    if (plain) return this.finish(ctx.tenantId, { ...plain, outcome: 'created', freed: false });
    const done = await this.withRetries(async (tx): Promise<Done> => {
      const made = await this.creation.carefully(tx, about);
      if (made.kind === 'created') return { ...made, outcome: 'created', freed: false };
      const linked = await this.changeCarefully(tx, ctx, tenant, made.row, { draft, directoryId: ctx.directory!.id });
      return { ...linked, outcome: 'linked' };
    });
    return this.finish(ctx.tenantId, done);
  }

  /**
   * Changes a person. `edit` is given the stored row and answers what it should become, or null for no change; it may
   * refuse by throwing, and is asked again if somebody else was quicker. Throws `NotFound` if there is no such person
   * that `visible` accepts.
   */
  async change(
    ctx: WriteContext,
    id: string,
    visible: (row: UserRow) => boolean,
    edit: (row: UserRow) => Edit | null,
  ): Promise<WriteResult> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const quick = await this.changeKnown(ctx, tenant, id, visible, edit);
    if (quick) return this.finish(ctx.tenantId, quick);
    const row = await this.repository.read(ctx.tenantId, id);
    if (!row || row.gone || !visible(row)) throw new NotFound('user');
    const wanted = edit(row);
    if (wanted === null) return { row, outcome: 'unchanged' };
    const plain = await this.changePlainly(ctx, tenant, row, wanted);
    if (plain) return this.finish(ctx.tenantId, plain);
    const done = await this.withRetries(async (tx): Promise<Done> => {
      const locked = await this.repository.read(ctx.tenantId, id, tx, true);
      if (!locked || locked.gone || !visible(locked)) throw new NotFound('user');
      const again = edit(locked);
      return again === null ? unchanged(locked) : this.changeCarefully(tx, ctx, tenant, locked, again);
    });
    return this.finish(ctx.tenantId, done);
  }

  /**
   * Works out again what is in force for one person, from what is stored: a seat has become free, a role has moved.
   * Nothing happens where nothing differs. Answers the outcome; throws `NotFound`, too where somebody else has become
   * responsible for the person. What an old directory had written before it was replaced still counts here.
   */
  async reconsider(ctx: WriteContext, id: string, released?: HeldReason): Promise<WriteResult> {
    const directory = ctx.directory === null ? null : { ...ctx.directory, superseded: false };
    const own = (row: UserRow): boolean => row.directory_id === (directory?.id ?? null);
    return this.change({ ...ctx, directory, mayWait: true }, id, own, (row) => ({
      draft: draftOf(JSON.parse(row.doc) as UserDocument, directory?.attributeMap),
      onlyIfDifferent: true,
      ...(released === undefined ? {} : { released }),
    }));
  }

  /** Removes a person. Throws `NotFound`; `check` may refuse (a version that is not the one the caller saw). */
  async remove(
    ctx: WriteContext,
    id: string,
    visible: (row: UserRow) => boolean,
    check: (row: UserRow) => void = () => undefined,
  ): Promise<void> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const attempt = async (db: SqlRunner, lock: boolean): Promise<void> => {
      const row = await this.repository.read(ctx.tenantId, id, db, lock);
      if (!row || row.gone || !visible(row)) throw new NotFound('user');
      check(row);
      const tx = new UnitOfWork();
      if (row.id === tenant.ownerUserId && ctx.door === 'scim') {
        // The owner of a tenant is put out by the tenant alone: gone for SCIM, in force for everything else.
        holdRemoval(tx, ctx.tenantId, row);
      } else {
        const person = JSON.stringify({ ...personOfRow(row), status: row.status });
        removeUser(tx, ctx.tenantId, row, person, ctx.source);
        this.consequences.ofRemoval(tx, ctx, row);
      }
      if ((await tx.run(db)).length === 0) throw new LostRace();
    };
    await attempt(this.db, false).catch((error: unknown) => {
      if (!isLost(error)) throw error;
      return this.withRetries((tx) => attempt(tx, true));
    });
    await this.repository.leaveGroups(ctx.tenantId, id);
    this.forwarding.wake(ctx.tenantId);
    this.onFreed?.(ctx.tenantId);
  }

  /**
   * The same onto a row that this process wrote lately, which saves reading it: the write goes through only if that is
   * still the stored version. Whatever else comes of it (a refusal, no change) is not believed, and asked again of the
   * stored row.
   */
  private async changeKnown(
    ctx: WriteContext,
    tenant: TenantView,
    id: string,
    visible: (row: UserRow) => boolean,
    edit: (row: UserRow) => Edit | null,
  ): Promise<Done | null> {
    const known = this.recent.take(ctx.tenantId, id);
    if (!known || !visible(known)) return null;
    let wanted: Edit | null;
    try {
      wanted = edit(known);
    } catch {
      return null; // asked again of the stored row, where it is thrown for good
    }
    if (wanted === null || wanted.onlyIfDifferent) return null;
    return this.changePlainly(ctx, tenant, known, wanted);
  }

  /** One statement that checks its own assumptions; null where one of them does not hold. */
  private async changePlainly(
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
  ): Promise<Done | null> {
    const about = await this.caseOf(ctx, tenant, row, edit, this.db);
    const written = decision.writtenIn(about);
    const decided = decision.decide(about, written, decision.NO_OBSTACLES);
    if (edit.onlyIfDifferent && decision.isSame(row, decided)) return unchanged(row);
    const { inForce } = decided;
    const claims = row.seat !== 'held' && decided.seat === 'held';
    const isOwner = row.id === tenant.ownerUserId;
    const mode = claims ? await this.seats.modeFor(ctx.tenantId, ctx.door, isOwner) : 'free';
    if (mode === 'exact') return null;
    const tx = new UnitOfWork();
    const seat = claims && this.seats.guard(tx, ctx.tenantId, await this.seats.limitOf(ctx.tenantId), mode);
    const clashes =
      about.draft.userNameKey !== row.user_name_key ||
      (inForce.status === 'active' &&
        (row.status !== 'active' || inForce.email !== row.email || inForce.external_id !== row.person_external_id));
    const write = decision.nextWrite(about, edit, decided);
    updateUser(tx, ctx.tenantId, row, write, { seat, clashes, unlinked: false });
    const forwarded = this.consequences.ofWrite(tx, ctx, row, write);
    try {
      const [now] = await tx.run<{ groups: string | null }>(this.db);
      if (now) return changed({ ...row, groups: now.groups }, write, forwarded);
    } catch (error) {
      if (codeOf(error) !== '23505') throw error; // a clash in the very same moment
    }
    this.seats.forget(ctx.tenantId);
    return null;
  }

  /** Looks who is in the way, counts seats where they are few, then writes; the row is locked. */
  private async changeCarefully(
    tx: SqlRunner,
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
  ): Promise<Done> {
    const about = await this.caseOf(ctx, tenant, row, edit, tx);
    const written = decision.writtenIn(about);
    const holders = await this.repository.holders(ctx.tenantId, about.draft, written.person.external_id, row.id, tx);
    refuseClashes(ctx, holders, written.active);
    const obstacles = await this.obstacles(tx, about, written, holders);
    const decided = decision.decide(about, written, obstacles);
    if (edit.onlyIfDifferent && decision.isSame(row, decided)) return unchanged(row);
    const work = new UnitOfWork();
    const write = decision.nextWrite(about, edit, decided);
    updateUser(work, ctx.tenantId, row, write, { seat: false, clashes: false, unlinked: false });
    const forwarded = this.consequences.ofWrite(work, ctx, row, write);
    if ((await work.run(tx)).length === 0) throw new LostRace();
    return changed(row, write, forwarded);
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
    const wants = wantsSeat(written, currentOf(row), decision.takesSeat(tenant, written));
    // Who is held comes before the question of a seat; whom an admin lets in counts as overage.
    const asks = wants && !taken.emailTaken && !taken.externalIdTaken && released !== 'no_seat';
    const isOwner = row.id === tenant.ownerUserId;
    const { tenantId, door, mayWait } = ctx;
    const seatFree = !asks || (await this.seats.freeUnderLock(tx, tenantId, door, isOwner, mayWait));
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
    const roleSet = edit.roleSet === undefined ? row.role_set : edit.roleSet;
    const released = edit.released === undefined ? row.released : edit.released;
    return { ctx, tenant, row, draft: edit.draft, roleSet, fromRules, released };
  }

  /** After the commit: whoever waits for what has just become true is told. */
  private finish(tenantId: string, { forwarded, freed, ...result }: Done): WriteResult {
    if (result.outcome !== 'unchanged') this.recent.put(tenantId, result.row);
    if (forwarded) this.forwarding.wake(tenantId);
    if (freed) this.onFreed?.(tenantId);
    return result;
  }

  private async withRetries<T>(work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return await this.db.transaction(work);
      } catch (error) {
        if (!isLost(error)) throw error;
      }
    }
    throw new TooMuchContention();
  }
}

/** Somebody else was quicker, by the row's version, a unique index or a deadlock: the same again, as things are now. */
function isLost(error: unknown): boolean {
  return error instanceof LostRace || ['23505', '40P01', '40001'].includes(codeOf(error));
}

function unchanged(row: UserWithGroups): Done {
  return { row, outcome: 'unchanged', forwarded: false, freed: false };
}

function changed(before: UserWithGroups, write: UserWrite, forwarded: boolean): Done {
  const { inForce, seat } = write.decision;
  const seatFreed = before.seat === 'held' && seat !== 'held';
  const keyFreed =
    before.status === 'active' &&
    (inForce.status !== 'active' ||
      before.email !== inForce.email ||
      before.person_external_id !== inForce.external_id);
  return {
    row: decision.rowAfter(before, write),
    outcome: 'changed',
    forwarded,
    freed: seatFreed || keyFreed,
  };
}
