import { Injectable } from '@nestjs/common';
import { codeOf } from '../../../base/database/database.errors.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import type { EventName } from '../../../engine/events/catalogue.js';
import { RoomMade, SeatsService } from '../../../seats/seats.service.js';
import type { UserEventName } from '../../../tenancy/identity/user-change.rules.js';
import { GuardService, type Leaving } from '../guard/guard.service.js';
import { TooMuchContention, Taken } from '../users.errors.js';
import { UsersRepository, type UserWithGroups } from '../users.repository.js';
import { ConflictSearch, RefusedNames } from './conflicts.js';
import { NO_GUARDS, PlanStatement, toldOf, userIdOf } from './plan-statement.js';
import type { CreatedUser, UpdatedUser } from './user-rows.sql.js';
import { rowAfter } from './user-write.rules.js';
import {
  NO_CONFLICTS,
  type Alongside,
  type Conflicts,
  type Edit,
  type Stamp,
  type WriteContext,
} from './write-case.js';
import { planWrite, type WriteCommand, type WritePlan } from './write-plan.rules.js';

/** A concurrent write changed the row after it was read: decide again. Never leaves the room. */
export class LostRace extends Error {}

const ATTEMPTS = 5;

/** Returns whether a concurrent write was quicker: by the row's version, a unique index or a deadlock. */
export function isLost(error: unknown): boolean {
  return error instanceof LostRace || ['23505', '40P01', '40001'].includes(codeOf(error));
}

/** @throws {TooMuchContention} after five lost races */
export async function retried<T>(db: Database, tenantId: string, work: (tx: SqlRunner) => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await db.transaction(tenantId, work);
    } catch (error) {
      if (!isLost(error)) throw error;
    }
  }
  throw new TooMuchContention();
}

export interface WriteResult {
  row: UserWithGroups;
  /** `previewed`: the user is unchanged, and the write is stored for a directory in preview. */
  outcome: 'created' | 'linked' | 'changed' | 'unchanged' | 'previewed';
  /** Null for a new user, or without a change. */
  edit: Edit | null;
}

export interface Aftermath {
  forwarded: boolean;
  told: readonly (UserEventName | EventName)[];
  freed: boolean;
}

export type CompletedWrite = WriteResult & Aftermath;

type RowCommand = Extract<WriteCommand, { kind: 'create' | 'edit' }>;

/**
 * Runs the plan of a write in one of two ways. Optimistic: one statement that checks its own assumptions. Pessimistic:
 * conflicts are looked up first, in a transaction that locks the rows. Both ways make the same plan.
 */
@Injectable()
export class WriteRunner {
  private readonly refused = new RefusedNames();

  constructor(
    private readonly db: Database,
    private readonly users: UsersRepository,
    private readonly statements: PlanStatement,
    private readonly conflicts: ConflictSearch,
    private readonly seats: SeatsService,
    private readonly guard: GuardService,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Writes in one statement.
   *
   * @returns null when an assumption does not hold, and nothing was written
   * @throws {Taken} when another user of the directory has the name
   */
  async optimistic(
    command: RowCommand,
    ctx: WriteContext,
    stamp: Stamp,
    along: Alongside,
  ): Promise<CompletedWrite | null> {
    if (along.afterWrite !== undefined || along.lockFirst === true) return null;
    const plan = planWrite(command, NO_CONFLICTS, stamp);
    if (plan === null) return unchanged(command);
    const { row } = command.about;
    const isOwner = row !== null && row.id === command.about.tenant.ownerUserId;
    const claim = plan.claimsSeat ? await this.seats.claimFor(ctx.tenantId, ctx.channel, isOwner) : null;
    await this.refuseKnownName(command, ctx);
    if (claim?.mode === 'exact') return null;
    if (plan.guarded?.kind === 'change') return null;
    const leaving = leavingOf(plan);
    const departure = leaving === null ? null : await this.guard.openWay(ctx.tenantId, leaving);
    if (leaving !== null && departure === null) return null;
    const statement = await this.statements.of(plan, ctx, {
      departure: (s) => departure?.(s) ?? null,
      seat: (s) => (claim === null ? null : this.seats.guard(s, ctx.tenantId, claim, row?.id ?? null)),
      checkNames: true,
    });
    await along.inSameStatement?.(statement);
    try {
      const [now] = await statement.run<CreatedUser & UpdatedUser>(this.db);
      if (now !== undefined && now.id !== null) return this.done(command, plan, now);
      // In preview, a write for an existing user of another directory is stored instead.
      if (now?.holder && ctx.directory !== null && ctx.directory.state !== 'preview') {
        this.refused.note(ctx.directory.id, true);
        throw new Taken('user_name_taken', now.holder);
      }
    } catch (error) {
      if (!isLost(error)) throw error; // Another write met this one at the same moment.
    }
    this.seats.forget(ctx.tenantId);
    if (leaving !== null) this.guard.forget(ctx.tenantId, leaving.directoryId);
    return null;
  }

  /** @throws {Taken} when another user of the directory has the name, as the statement of the creation would find */
  private async refuseKnownName({ kind, about }: RowCommand, { tenantId, directory }: WriteContext): Promise<void> {
    if (kind !== 'create' || directory === null || directory.state === 'preview') return;
    if (!this.refused.has(directory.id)) return;
    const holder = await this.users.holderOf(tenantId, directory.id, about.draft.userNameKey);
    if (holder !== null) throw new Taken('user_name_taken', holder);
    this.refused.note(directory.id, false);
  }

  /**
   * Looks up conflicts, counts seats where few are free, and writes.
   *
   * @param tx the transaction; the row of an existing user is locked
   * @throws {Taken} when another user has a name, e-mail or key
   * @throws {SeatLimitReached} when no seat is free and the channel's policy is `block`
   * @throws {LostRace} when a concurrent write was quicker
   */
  async pessimistic(
    tx: SqlRunner,
    command: RowCommand,
    ctx: WriteContext,
    stamp: Stamp,
    along: Alongside,
    found = this.conflicts.users(tx, command.about),
  ): Promise<CompletedWrite> {
    const conflicts = await this.conflicts.settle(tx, command.about, await found);
    const plan = await this.guarded(tx, command, ctx, conflicts, stamp);
    if (plan === null) return unchanged(command);
    const statement = await this.statements.of(plan, ctx, NO_GUARDS, tx);
    await along.inSameStatement?.(statement);
    const [now] = await statement.run<CreatedUser & UpdatedUser>(tx);
    if (now === undefined) throw new LostRace();
    const done = this.done(command, plan, now);
    await along.afterWrite?.(tx, done.row.id);
    return done;
  }

  async guarded(
    tx: SqlRunner,
    command: WriteCommand,
    ctx: WriteContext,
    conflicts: Conflicts,
    stamp: Stamp,
  ): Promise<WritePlan | null> {
    const plan = planWrite(command, conflicts, stamp);
    if (plan?.guarded?.kind === 'change') {
      if (await this.guard.admitsChange(tx, ctx.tenantId, userIdOf(plan), plan.guarded)) return plan;
      return planWrite(command, { ...conflicts, changesReached: true }, stamp);
    }
    const leaving = plan === null ? null : leavingOf(plan);
    if (leaving === null || (await this.guard.admits(tx, ctx.tenantId, leaving))) return plan;
    return planWrite(command, { ...conflicts, guardReached: true }, stamp);
  }

  /**
   * Runs a plan without conflicts: the removal of a locked user, or an import. Returns whether anything was written.
   */
  async run(db: SqlRunner, plan: WritePlan, ctx: WriteContext, along: Alongside = {}): Promise<boolean> {
    const statement = await this.statements.of(plan, ctx, NO_GUARDS, db);
    await along.inSameStatement?.(statement);
    return (await statement.run(db)).length > 0;
  }

  async tell(tenantId: string, { freed, ...aftermath }: Aftermath): Promise<void> {
    this.statements.wake(tenantId, aftermath);
    if (freed) await this.events.publish(new RoomMade(tenantId));
  }

  private done(command: RowCommand, plan: WritePlan, now: CreatedUser & UpdatedUser): CompletedWrite {
    const { row } = command.about;
    const { subject } = plan;
    if (subject.kind !== 'insert' && subject.kind !== 'update') throw new Error('a removal leaves no row');
    const forwarded = this.statements.forwards(plan);
    const told = toldOf(plan);
    const freed = plan.frees;
    if (subject.kind === 'update') {
      const after = { ...rowAfter(subject.before, subject.write), ...factsOf(now) };
      return { forwarded, told, freed, row: after, outcome: 'changed', edit: editIn(command) };
    }
    if (row !== null) throw new Error('an existing user is not inserted');
    const after = { ...rowAfter(null, subject.write), manager: now.manager ?? null };
    return { forwarded, told, freed, row: after, outcome: 'created', edit: null };
  }
}

function leavingOf({ guarded, subject }: WritePlan): Leaving | null {
  if (guarded?.kind !== 'departure' || subject.kind === 'insert') return null;
  return { ...guarded, userId: subject.before.id };
}

function factsOf({ revision, modified_at, groups, manager }: UpdatedUser): UpdatedUser {
  return { revision, modified_at, groups, manager };
}

function unchanged(command: RowCommand): CompletedWrite {
  if (command.kind === 'create') throw new Error('a new user is never unchanged');
  const { about, edit } = command;
  return { row: about.row, outcome: 'unchanged', edit, forwarded: false, told: [], freed: false };
}

function editIn(command: RowCommand): Edit | null {
  return command.kind === 'edit' ? command.edit : null;
}
