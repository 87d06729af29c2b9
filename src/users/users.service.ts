import { Injectable } from '@nestjs/common';
import { codeOf, Database, type SqlRunner } from '../base/database/database.js';
import { UnitOfWork } from '../base/database/unit-of-work.js';
import { NotFound } from '../base/errors/domain-error.js';
import { newId } from '../base/ids.js';
import { ForwardingService } from '../forwarding/forwarding.service.js';
import { decideInForce, wantsSeat, type Circumstances, type Decision, type Written } from '../identity/held.rules.js';
import type { HeldReason } from '../identity/person.js';
import { roleOf } from '../identity/role.rules.js';
import { changeBetween, mustForward } from '../identity/user-change.rules.js';
import type { ClaimMode } from '../seats/seat.rules.js';
import { SeatsService } from '../seats/seats.service.js';
import { TenantStore, type TenantView } from '../tenants/tenant.store.js';
import { draftOf, type UserDocument, type UserDraft } from './user.mapping.js';
import { currentOf, personOfRow, type UserRow } from './user.row.js';
import { Taken, TooMuchContention } from './users.errors.js';
import { HELD_NAME, UsersRepository, type Holder, type UserWithGroups, type UserWrite } from './users.repository.js';
import type { WriteContext } from './write-context.js';

/** What a door wants of somebody who is there already; `null`: nothing, answer as it is. */
export interface Edit {
  draft: UserDraft;
  /** Takes the person over: from nobody, or from the directory that is being replaced. */
  directoryId?: string | null;
  roleSet?: string | null;
  released?: HeldReason | null;
  /** Nothing was written: only what is in force is worked out again, and stored if it differs. */
  onlyIfDifferent?: boolean;
}

export interface WriteResult {
  row: UserWithGroups;
  /** `linked`: a person who was there already is now this directory's. */
  outcome: 'created' | 'linked' | 'changed' | 'unchanged';
}

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
    private readonly seats: SeatsService,
    private readonly forwarding: ForwardingService,
    private readonly tenants: TenantStore,
  ) {}

  /**
   * Creates a person, or links the draft with the one unmanaged person it matches. Throws `Taken` where a name (any
   * door), an e-mail or a key (users API) is somebody else's, and `SeatLimitReached` where the door's policy is `block`.
   */
  async create(ctx: WriteContext, draft: UserDraft, roleSet: string | null = null): Promise<WriteResult> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const written = this.written(ctx, tenant, null, draft, roleSet, []);
    const takesSeat = wantsSeat(written, null, this.takesSeat(tenant, written));
    const mode: ClaimMode = takesSeat ? await this.seats.modeFor(ctx.tenantId, ctx.door, false) : 'free';
    if (mode !== 'exact') {
      const done = await this.createPlainly(ctx, tenant, draft, written, roleSet, mode);
      if (done) return done;
    }
    return this.withRetries((tx) => this.createCarefully(tx, ctx, tenant, draft, roleSet));
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
    const row = await this.repository.read(ctx.tenantId, id);
    if (!row || row.gone || !visible(row)) throw new NotFound('user');
    const wanted = edit(row);
    if (wanted === null) return { row, outcome: 'unchanged' };
    const done = await this.changePlainly(ctx, tenant, row, wanted);
    if (done) return done;
    return this.withRetries(async (tx) => {
      const locked = await this.repository.read(ctx.tenantId, id, tx, true);
      if (!locked || locked.gone || !visible(locked)) throw new NotFound('user');
      const again = edit(locked);
      if (again === null) return { row: locked, outcome: 'unchanged' };
      return this.changeCarefully(tx, ctx, tenant, locked, again);
    });
  }

  /** Removes a person. Throws `NotFound`; `check` may refuse (a version that is not the one the caller saw). */
  async remove(
    ctx: WriteContext,
    id: string,
    visible: (row: UserRow) => boolean,
    check: (row: UserRow) => void = () => undefined,
  ): Promise<void> {
    const tenant = await this.tenants.get(ctx.tenantId);
    await this.withRetries(async (db) => {
      const row = await this.repository.read(ctx.tenantId, id, db);
      if (!row || row.gone || !visible(row)) throw new NotFound('user');
      check(row);
      if (row.id === tenant.ownerUserId && ctx.door === 'scim') return this.holdRemoval(db, ctx, row);
      const person = personOfRow(row);
      const tx = new UnitOfWork();
      this.repository.remove(tx, ctx.tenantId, row, JSON.stringify({ ...person, status: row.status }), ctx.source);
      this.seats.settle(
        tx,
        ctx.tenantId,
        row.seat,
        'none',
        this.about(ctx, row.role, row.directory_id, null, 'deleted'),
      );
      const change = changeBetween(
        { ...person, status: row.status },
        { ...person, status: 'deleted' },
        row.ever_active,
      )!;
      this.forwarding.enqueue(
        tx,
        ctx.tenantId,
        change,
        ctx.source,
        ctx.receivedAt,
        mustForward(change, row.ever_active),
      );
      if ((await tx.run(db)).length === 0) throw new LostRace();
      return undefined;
    }, this.db);
    this.after(ctx.tenantId);
  }

  /**
   * Works out again what is in force for one person, from what is stored: a seat has become free, a role has moved.
   * Nothing happens where nothing differs. Answers the outcome; throws `NotFound`.
   */
  async reconsider(ctx: WriteContext, id: string, released?: HeldReason): Promise<WriteResult> {
    return this.change(
      ctx,
      id,
      () => true,
      (row) => ({
        draft: draftOf(JSON.parse(row.doc) as UserDocument, ctx.directory?.attributeMap),
        onlyIfDifferent: true,
        ...(released === undefined ? {} : { released }),
      }),
    );
  }

  /** The owner of a tenant is put out by the tenant alone: gone for SCIM, in force for everything else. */
  private async holdRemoval(db: SqlRunner, ctx: WriteContext, row: UserRow): Promise<void> {
    const tx = new UnitOfWork().subject(
      (p) => `update users u set gone_at = now(), held = 'protected', held_since = now(), version = version + 1,
          user_name_key = ${HELD_NAME}
        where u.tenant_id = ${p.add(ctx.tenantId)} and u.id = ${p.add(row.id)} and u.version = ${p.add(row.version, 'int')}
        returning u.id`,
    );
    tx.add(
      (p) => `insert into population_steps (tenant_id, owner, step)
        select ${p.add(ctx.tenantId)}, ${p.add(row.directory_id ?? '')}, -1 from subject`,
    );
    if ((await tx.run(db)).length === 0) throw new LostRace();
  }

  // --- create -----------------------------------------------------------------------------------------------------

  private async createPlainly(
    ctx: WriteContext,
    tenant: TenantView,
    draft: UserDraft,
    written: Written,
    roleSet: string | null,
    mode: ClaimMode,
  ): Promise<WriteResult | null> {
    const decision = decideInForce(written, null, this.around(ctx, tenant, written, null, null));
    const tx = new UnitOfWork();
    const seat =
      decision.seat === 'held' && this.seats.guard(tx, ctx.tenantId, await this.seats.limitOf(ctx.tenantId), mode);
    const write = this.newWrite(ctx, draft, decision, roleSet);
    const unlinked = ctx.directory !== null;
    this.repository.insert(tx, ctx.tenantId, write, { seat, clashes: false, unlinked });
    const forwarded = this.addConsequences(tx, ctx, null, write);
    if ((await tx.run(this.db)).length === 0) {
      this.seats.forget(ctx.tenantId);
      return null;
    }
    if (forwarded) this.forwarding.wake(ctx.tenantId);
    return { row: rowAfter(null, write), outcome: 'created' };
  }

  private async createCarefully(
    tx: SqlRunner,
    ctx: WriteContext,
    tenant: TenantView,
    draft: UserDraft,
    roleSet: string | null,
  ): Promise<WriteResult> {
    const key = draft.key ?? (ctx.directory ? draft.userName : null);
    const holders = await this.repository.holders(ctx.tenantId, draft, key, null, tx);
    const match = this.matchIn(ctx, holders);
    if (match) {
      const row = await this.repository.read(ctx.tenantId, match.id, tx, true);
      if (!row || row.gone || row.directory_id !== match.directory_id) throw new LostRace();
      const linked = await this.changeCarefully(tx, ctx, tenant, row, { draft, directoryId: ctx.directory!.id });
      return { ...linked, outcome: 'linked' };
    }
    this.refuseClashes(ctx, holders);
    const written = this.written(ctx, tenant, null, draft, roleSet, []);
    const taken = clashesIn(holders);
    const seatFree = await this.claim(tx, ctx, tenant, null, written, taken, null);
    const around = { ...this.around(ctx, tenant, written, null, null), ...taken, seatFree };
    const decision = decideInForce(written, null, around);
    const work = new UnitOfWork();
    const write = this.newWrite(ctx, draft, decision, roleSet);
    this.repository.insert(work, ctx.tenantId, write, { seat: false, clashes: false, unlinked: false });
    const forwarded = this.addConsequences(work, ctx, null, write);
    if ((await work.run(tx)).length === 0) throw new LostRace();
    if (forwarded) this.forwarding.wake(ctx.tenantId);
    return { row: rowAfter(null, write), outcome: 'created' };
  }

  /** The one person whom this create means: unmanaged, or of the directory that is being replaced. */
  private matchIn(ctx: WriteContext, holders: Holder[]): Holder | null {
    const directory = ctx.directory;
    if (!directory || directory.state === 'preview' || directory.superseded) return null;
    const linkable = holders.filter(
      (h) => !h.gone && (h.directory_id === null || h.directory_id === directory.takesOver),
    );
    if (linkable.length === 0) return null;
    const byName = linkable.find((h) => h.same_name);
    const match = byName ?? (linkable.length === 1 ? linkable[0]! : null);
    if (match && directory.onMatch === 'refuse') throw new Taken('user_name_taken', match.id);
    return match;
  }

  private refuseClashes(ctx: WriteContext, holders: Holder[]): void {
    const active = (h: Holder) => h.status === 'active';
    if (ctx.door === 'api') {
      const email = holders.find((h) => h.same_email && active(h));
      if (email) throw new Taken('email_taken', email.id);
      const key = holders.find((h) => h.same_key && active(h));
      if (key) throw new Taken('external_id_taken', key.id);
    }
    const name = holders.find((h) => h.same_name && !h.gone);
    if (name) throw new Taken(ctx.door === 'api' ? 'email_taken' : 'user_name_taken', name.id);
  }

  // --- change -----------------------------------------------------------------------------------------------------

  private async changePlainly(
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
  ): Promise<WriteResult | null> {
    const fromRules = await this.fromRules(ctx, row, this.db);
    const written = this.written(ctx, tenant, row, edit.draft, this.roleSet(row, edit), fromRules);
    const decision = decideInForce(
      written,
      currentOf(row),
      this.around(ctx, tenant, written, row, edit.released ?? row.released),
    );
    if (edit.onlyIfDifferent && sameDecision(row, decision)) return { row, outcome: 'unchanged' };
    const isOwner = row.id === tenant.ownerUserId;
    const claims = row.seat !== 'held' && decision.seat === 'held';
    const mode: ClaimMode = claims ? await this.seats.modeFor(ctx.tenantId, ctx.door, isOwner) : 'free';
    if (mode === 'exact') return null;
    const tx = new UnitOfWork();
    const seat = claims && this.seats.guard(tx, ctx.tenantId, await this.seats.limitOf(ctx.tenantId), mode);
    const write = this.nextWrite(ctx, row, edit, decision);
    const clashes =
      edit.draft.userNameKey !== row.user_name_key ||
      (decision.inForce.status === 'active' &&
        (row.status !== 'active' ||
          decision.inForce.email !== row.email ||
          decision.inForce.external_id !== row.person_external_id));
    this.repository.update(tx, ctx.tenantId, row, write, { seat, clashes, unlinked: false });
    const forwarded = this.addConsequences(tx, ctx, row, write);
    try {
      if ((await tx.run(this.db)).length === 0) {
        this.seats.forget(ctx.tenantId);
        return null;
      }
    } catch (error) {
      if (codeOf(error) !== '23505') throw error; // a clash in the very same moment
      return null;
    }
    this.finish(ctx.tenantId, row, write, forwarded);
    return { row: rowAfter(row, write), outcome: 'changed' };
  }

  private async changeCarefully(
    tx: SqlRunner,
    ctx: WriteContext,
    tenant: TenantView,
    row: UserWithGroups,
    edit: Edit,
  ): Promise<WriteResult> {
    const fromRules = await this.fromRules(ctx, row, tx);
    const written = this.written(ctx, tenant, row, edit.draft, this.roleSet(row, edit), fromRules);
    const holders = await this.repository.holders(ctx.tenantId, edit.draft, written.person.external_id, row.id, tx);
    if (edit.draft.userNameKey !== row.user_name_key || row.directory_id !== (edit.directoryId ?? row.directory_id)) {
      const name = holders.find((h) => h.same_name && !h.gone);
      if (name) throw new Taken(ctx.door === 'api' ? 'email_taken' : 'user_name_taken', name.id);
    }
    if (ctx.door === 'api') this.refuseClashes(ctx, written.active ? holders : []);
    const taken = clashesIn(holders);
    const released = edit.released ?? row.released;
    const seatFree = await this.claim(tx, ctx, tenant, row, written, taken, released);
    const around = { ...this.around(ctx, tenant, written, row, released), ...taken, seatFree };
    if (released === 'external_id_taken' && taken.externalIdTaken) {
      // Released although another person has the key: the user name stands in for it.
      written.person.external_id = edit.draft.userName;
      around.externalIdTaken = false;
    }
    const decision = decideInForce(written, currentOf(row), around);
    if (edit.onlyIfDifferent && sameDecision(row, decision)) return { row, outcome: 'unchanged' };
    const work = new UnitOfWork();
    const write = this.nextWrite(ctx, row, edit, decision);
    this.repository.update(work, ctx.tenantId, row, write, { seat: false, clashes: false, unlinked: false });
    const forwarded = this.addConsequences(work, ctx, row, write);
    if ((await work.run(tx)).length === 0) throw new LostRace();
    this.finish(ctx.tenantId, row, write, forwarded);
    return { row: rowAfter(row, write), outcome: 'changed' };
  }

  // --- what both have in common -------------------------------------------------------------------------------------

  private written(
    ctx: WriteContext,
    tenant: TenantView,
    row: UserRow | null,
    draft: UserDraft,
    roleSet: string | null,
    fromRules: string[],
  ): Written {
    const managed = ctx.directory !== null;
    const fallback = roleSet ?? (managed ? ctx.directory!.defaultRole : 'User');
    const role = roleOf({ roles: managed ? draft.roles : [], fromRules, defaultRole: fallback }, tenant.roles);
    return {
      active: draft.active,
      person: {
        email: draft.email,
        first_name: draft.firstName,
        last_name: draft.lastName,
        role,
        external_id: managed ? keyOf(row, draft) : draft.key,
      },
    };
  }

  private around(
    ctx: WriteContext,
    tenant: TenantView,
    written: Written,
    row: UserRow | null,
    released: HeldReason | null,
  ): Circumstances {
    return {
      emailTaken: false,
      externalIdTaken: false,
      roleTakesSeat: this.takesSeat(tenant, written),
      seatFree: true,
      preview: ctx.directory?.state === 'preview',
      superseded: ctx.directory?.superseded ?? false,
      isProtected: row !== null && row.id === tenant.ownerUserId && ctx.door === 'scim',
      released,
    };
  }

  private takesSeat(tenant: TenantView, written: Written): boolean {
    return written.person.role !== null && (tenant.roles.get(written.person.role)?.takesSeat ?? true);
  }

  private async claim(
    tx: SqlRunner,
    ctx: WriteContext,
    tenant: TenantView,
    row: UserRow | null,
    written: Written,
    taken: { emailTaken: boolean; externalIdTaken: boolean },
    released: HeldReason | null,
  ): Promise<boolean> {
    if (taken.emailTaken || taken.externalIdTaken) return true; // held before the question of a seat comes up
    if (released === 'no_seat') return true; // an admin has let this person in: it counts as overage
    if (!wantsSeat(written, row && currentOf(row), this.takesSeat(tenant, written))) return true;
    const isOwner = row !== null && row.id === tenant.ownerUserId;
    return this.seats.freeUnderLock(tx, ctx.tenantId, ctx.door, isOwner);
  }

  private async fromRules(ctx: WriteContext, row: UserRow, db: SqlRunner): Promise<string[]> {
    if (!ctx.directory?.hasRules) return [];
    return this.repository.rolesFromRules(ctx.tenantId, ctx.directory.id, row.id, db);
  }

  private roleSet(row: UserRow, edit: Edit): string | null {
    return edit.roleSet === undefined ? row.role_set : edit.roleSet;
  }

  private newWrite(ctx: WriteContext, draft: UserDraft, decision: Decision, roleSet: string | null): UserWrite {
    return {
      id: newId('usr'),
      directoryId: ctx.directory?.id ?? null,
      source: ctx.door,
      draft,
      decision,
      roleSet,
      released: null,
      everActive: decision.inForce.status === 'active' && decision.inForce.email !== null,
      at: new Date(),
    };
  }

  private nextWrite(ctx: WriteContext, row: UserRow, edit: Edit, decision: Decision): UserWrite {
    return {
      id: row.id,
      directoryId: edit.directoryId === undefined ? row.directory_id : edit.directoryId,
      source: row.source,
      draft: edit.draft,
      decision,
      roleSet: this.roleSet(row, edit),
      released: edit.released === undefined ? row.released : edit.released,
      everActive: row.ever_active || (decision.inForce.status === 'active' && decision.inForce.email !== null),
      at: new Date(Math.max(Date.now(), row.updated_at)),
    };
  }

  /** Adds the ledger's line, the user change and what we owe. Answers whether the platform is to hear of it. */
  private addConsequences(tx: UnitOfWork, ctx: WriteContext, row: UserRow | null, write: UserWrite): boolean {
    const after = write.decision.inForce;
    const seatBefore = row?.seat ?? 'none';
    const reason = row === null ? 'created' : row.status !== after.status ? after.status : 'role';
    this.seats.settle(
      tx,
      ctx.tenantId,
      seatBefore,
      write.decision.seat,
      this.about(ctx, after.role ?? row?.role ?? null, write.directoryId, write.draft.costCenter, reason),
    );
    const before = row === null ? null : { ...personOfRow(row), status: row.status };
    const change = changeBetween(before, after, row?.ever_active ?? false);
    if (change === null) {
      // The resource changed, the person did not: recorded, and nobody is told.
      const noted = { kind: 'updated' as const, person: personOfRow(row!), status: row!.status, changed: [] };
      this.forwarding.enqueue(tx, ctx.tenantId, noted, ctx.source, ctx.receivedAt, false);
      return false;
    }
    const forward = mustForward(change, write.everActive);
    this.forwarding.enqueue(tx, ctx.tenantId, change, ctx.source, ctx.receivedAt, forward);
    return forward;
  }

  private about(
    ctx: WriteContext,
    role: string | null,
    directoryId: string | null,
    costCenter: string | null,
    reason: string,
  ) {
    return { role, directoryId, costCenter, reason, source: ctx.source };
  }

  private finish(tenantId: string, before: UserRow, write: UserWrite, forwarded: boolean): void {
    if (forwarded) this.forwarding.wake(tenantId);
    const after = write.decision;
    const freed = before.seat === 'held' && after.seat !== 'held';
    const keyFreed =
      before.status === 'active' &&
      (after.inForce.status !== 'active' ||
        before.email !== after.inForce.email ||
        before.person_external_id !== after.inForce.external_id);
    if (freed || keyFreed) this.onFreed?.(tenantId);
  }

  private after(tenantId: string): void {
    this.forwarding.wake(tenantId);
    this.onFreed?.(tenantId);
  }

  /** Told when a seat, an e-mail or a key has become free: somebody may have been waiting for it. */
  onFreed: ((tenantId: string) => void) | undefined;

  private async withRetries<T>(work: (tx: SqlRunner) => Promise<T>, plain?: SqlRunner): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return plain ? await work(plain) : await this.db.transaction(work);
      } catch (error) {
        const clash = codeOf(error) === '23505' || codeOf(error) === '40P01';
        if (!(error instanceof LostRace) && !clash) throw error;
      }
    }
    throw new TooMuchContention();
  }
}

/** Somebody else changed the row between our reading and our writing: decide again. */
class LostRace extends Error {}

function clashesIn(holders: Holder[]): { emailTaken: boolean; externalIdTaken: boolean } {
  return {
    emailTaken: holders.some((h) => h.same_email && h.status === 'active'),
    externalIdTaken: holders.some((h) => h.same_key && h.status === 'active'),
  };
}

function sameDecision(row: UserRow, decision: Decision): boolean {
  const { inForce } = decision;
  return (
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

/** The key towards the platform (contract §5): once sent it stays when the directory only leaves it out. */
function keyOf(row: UserRow | null, draft: UserDraft): string {
  if (draft.key !== null) return draft.key;
  const old = row?.person_external_id ?? null;
  return old !== null && old !== row!.user_name ? old : draft.userName;
}

function rowAfter(before: UserWithGroups | null, write: UserWrite): UserWithGroups {
  const { draft, decision } = write;
  return {
    id: write.id,
    directory_id: write.directoryId,
    source: write.source,
    doc: JSON.stringify(draft.doc),
    user_name: draft.userName,
    user_name_key: draft.userNameKey,
    external_id: draft.externalId,
    active: draft.active,
    gone: false,
    version: before === null ? 1 : before.version + 1,
    email: decision.inForce.email,
    first_name: decision.inForce.first_name,
    last_name: decision.inForce.last_name,
    role: decision.inForce.role,
    role_set: write.roleSet,
    person_external_id: decision.inForce.external_id,
    status: decision.inForce.status,
    seat: decision.seat,
    held: decision.held,
    released: write.released as HeldReason | null,
    ever_active: write.everActive,
    created_at: before === null ? write.at.getTime() : before.created_at,
    updated_at: write.at.getTime(),
    groups: before?.groups ?? null,
  };
}
