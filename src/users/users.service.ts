import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../base/database/database.js';
import { WriteStatement } from '../base/database/write-statement.js';
import { NotFound } from '../base/errors/domain-error.js';
import type { LinkedBy } from '../identity/adoption.rules.js';
import { ForwardingService } from '../forwarding/forwarding.service.js';
import { TenantStore, type TenantView } from '../tenants/tenant.store.js';
import { lockGroupsOf } from './write/lock-order.js';
import { isLost, LostRace } from './write/lost-race.js';
import { RecentRows } from './write/recent-rows.js';
import { DocumentTooLarge } from './write/stored-document.js';
import { UserConsequences } from './write/consequences.rules.js';
import { unchanged, UserChanging, type Done, type WriteResult } from './write/write-runner.js';
import { UserCreation } from './user-creation.js';
import { removalHeld, type Edit, type Upon } from './write/write-case.js';
import { draftOf, type UserDocument, type UserDraft } from './user.mapping.js';
import { personOfRow, type UserRow } from './user.row.js';
import { TooMuchContention } from './users.errors.js';
import { UsersRepository, type UserWithGroups } from './users.repository.js';
import { holdRemoval, removeUser } from './write/subject.sql.js';
import type { WriteContext } from './write/write-context.js';

export type { WriteResult } from './write/write-runner.js';
export type { Edit, Upon } from './write/write-case.js';

const ATTEMPTS = 5;

/** What belongs to a creation. */
interface CreateParts {
  /** Belongs to the write where it links. */
  uponLink?: Upon | undefined;
  /** Takes the place of a link while the directory is in preview. */
  inPreview?: (tx: SqlRunner, userId: string, by: LinkedBy) => Promise<void>;
  /** Belongs to the statement that creates a user. */
  also?: (tx: WriteStatement) => void;
}

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
    private readonly changing: UserChanging,
    private readonly consequences: UserConsequences,
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
  async create(
    ctx: WriteContext,
    draft: UserDraft,
    roleSet: string | null = null,
    { uponLink, inPreview, also }: CreateParts = {},
  ): Promise<WriteResult> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const about = { ctx, tenant, row: null, draft, roleSet, fromRules: [], released: null };
    const plain = await this.creation.plainly(about, also);
    if (plain) return this.finish(ctx.tenantId, { ...plain, outcome: 'created', freed: false });
    const done = await this.withRetries(ctx.tenantId, async (tx): Promise<Done> => {
      const made = await this.creation.carefully(tx, about, also);
      if (made.kind === 'created') return { ...made, outcome: 'created', freed: false };
      if (inPreview && ctx.directory!.state === 'preview' && !made.row.gone) {
        await inPreview(tx, made.row.id, made.by);
        return { row: made.row, outcome: 'previewed', forwarded: false, freed: false };
      }
      const linked = await this.changing.carefully(tx, ctx, tenant, made.row, {
        draft,
        directoryId: ctx.directory!.id,
        linkedBy: made.by,
        upon: uponLink,
      });
      return { ...linked, outcome: 'linked', linkedBy: made.by };
    });
    return this.finish(ctx.tenantId, done);
  }

  /**
   * Changes a person. `edit` is given the stored row and answers what it should become, or null for no change; it may
   * refuse by throwing, and is asked again if somebody else was quicker. `asStored`: it needs the groups of the user as
   * they are stored. Throws `NotFound` if there is no such person that `visible` accepts.
   */
  async change(
    ctx: WriteContext,
    id: string,
    visible: (row: UserRow) => boolean,
    edit: (row: UserWithGroups) => Edit | null,
    asStored = false,
  ): Promise<WriteResult> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const quick = asStored ? null : await this.changeKnown(ctx, tenant, id, visible, edit);
    if (quick) return this.finish(ctx.tenantId, quick);
    const row = await this.repository.read(ctx.tenantId, id);
    if (!row || row.gone || !visible(row)) throw new NotFound('user');
    const wanted = edit(row);
    if (wanted === null) return { row, outcome: 'unchanged' };
    const plain = await this.changing.plainly(ctx, tenant, row, wanted);
    if (plain) return this.finish(ctx.tenantId, plain);
    const done = await this.withRetries(ctx.tenantId, async (tx): Promise<Done> => {
      const locked = await this.repository.read(ctx.tenantId, id, tx, true);
      if (!locked || locked.gone || !visible(locked)) throw new NotFound('user');
      const again = edit(locked);
      return again === null ? unchanged(locked) : this.changing.carefully(tx, ctx, tenant, locked, again);
    });
    return this.finish(ctx.tenantId, done);
  }

  /**
   * Changes a user whose row is locked, one that is gone for SCIM included: the change brings it back. `edit` may ask the
   * database first, and may refuse by throwing.
   *
   * @throws {NotFound} when the tenant has no such user
   */
  async changeLocked(
    ctx: WriteContext,
    id: string,
    edit: (tx: SqlRunner, row: UserRow, tenant: TenantView) => Promise<Edit>,
  ): Promise<WriteResult> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const done = await this.withRetries(ctx.tenantId, async (tx): Promise<Done> => {
      const row = await this.repository.read(ctx.tenantId, id, tx, true);
      if (!row) throw new NotFound('user');
      return this.changing.carefully(tx, ctx, tenant, row, await edit(tx, row, tenant));
    });
    return this.finish(ctx.tenantId, done);
  }

  /**
   * Works out again what is in force for one person, from what is stored: a seat has become free, a role has moved.
   * Nothing happens where nothing differs. Answers the outcome; throws `NotFound`, too where somebody else has become
   * responsible for the person. What an old directory had written before it was replaced still counts here.
   */
  async reconsider(ctx: WriteContext, id: string, more: Pick<Edit, 'released' | 'also'> = {}): Promise<WriteResult> {
    const directory = ctx.directory === null ? null : { ...ctx.directory, superseded: false };
    const own = (row: UserRow): boolean => row.directory_id === (directory?.id ?? null);
    return this.change({ ...ctx, directory, mayWait: true }, id, own, (row) => {
      if (isDiscarded(row)) return null;
      const draft = draftOf(JSON.parse(row.doc) as UserDocument, directory?.attributeMap);
      return { draft, onlyIfDifferent: true, ...more };
    });
  }

  /**
   * Removes a person. Throws `NotFound`; `check` may refuse (a version that is not the one the caller saw). `last` also
   * removes somebody who is gone for SCIM already, and adds what else belongs to the write.
   */
  async remove(
    ctx: WriteContext,
    id: string,
    visible: (row: UserRow) => boolean,
    check: (row: UserWithGroups) => void = () => undefined,
    last?: { also: (tx: WriteStatement) => void },
  ): Promise<void> {
    const tenant = await this.tenants.get(ctx.tenantId);
    await this.withRetries(ctx.tenantId, async (db) => {
      // Held: a sign-in of theirs that is just being written down is there by the time of the statement, and ends.
      const row = await this.repository.read(ctx.tenantId, id, db, true);
      if (!row || (row.gone && !last) || !visible(row)) throw new NotFound('user');
      check(row);
      // The user's lock keeps new memberships out; the locks of its groups come next, before any row is deleted.
      await lockGroupsOf(db, ctx.tenantId, id);
      const tx = new WriteStatement();
      const reason = removalHeld(ctx, row, tenant.protectedUserIds);
      if (reason !== null) {
        holdRemoval(tx, ctx.tenantId, row, reason);
      } else {
        const person = JSON.stringify({ ...personOfRow(row), status: row.status });
        removeUser(tx, ctx.tenantId, row, person, ctx.source);
        this.consequences.ofRemoval(tx, ctx, row);
        last?.also(tx);
      }
      if ((await tx.run(db)).length === 0) throw new LostRace();
    });
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
    edit: (row: UserWithGroups) => Edit | null,
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
    try {
      return await this.changing.plainly(ctx, tenant, known, wanted);
    } catch (error) {
      if (error instanceof DocumentTooLarge) return null; // another process may have made it smaller
      throw error;
    }
  }

  /** After the commit: whoever waits for what has just become true is told. */
  private finish(tenantId: string, { forwarded, freed, ...result }: Done): WriteResult {
    if (result.outcome !== 'unchanged' && result.outcome !== 'previewed') this.recent.put(tenantId, result.row);
    if (forwarded) this.forwarding.wake(tenantId);
    if (freed) this.onFreed?.(tenantId);
    return result;
  }

  private async withRetries<T>(tenantId: string, work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return await this.db.transaction(tenantId, work);
      } catch (error) {
        if (!isLost(error)) throw error;
      }
    }
    throw new TooMuchContention();
  }
}

/**
 * Held for nothing, and yet not as written: an admin has discarded that. It stays so until a door writes again, and
 * nothing that moves around the person brings it back.
 */
function isDiscarded(row: UserRow): boolean {
  return row.held === null && row.active !== (row.status === 'active');
}
