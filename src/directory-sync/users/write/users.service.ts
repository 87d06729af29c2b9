import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import type { LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import { TenantStore, type TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { lockGroupsOf } from '../groups/group-locks.js';
import { draftOf, type UserDocument, type UserDraft } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { Taken } from '../users.errors.js';
import { UsersRepository, type UserWithGroups } from '../users.repository.js';
import { matchOf, isBeyond } from './authority.rules.js';
import { Circles } from './circles.js';
import { ConflictSearch } from './conflicts.js';
import { isKeptFor, isOthers } from './kept-writes.js';
import { isDiscarded } from './state.rules.js';
import { UserEditing } from './user-editing.js';
import {
  NO_CONFLICTS,
  type Alongside,
  type Edit,
  type WriteCase,
  newStamp,
  type WriteContext,
  type CreateParts,
  type Removal,
} from './write-case.js';
import {
  LostRace,
  retried,
  WriteRunner,
  type Aftermath,
  type CompletedWrite,
  type WriteResult,
} from './write-runner.js';

export type { WriteResult } from './write-runner.js';
export type { AfterWrite, Edit } from './write-case.js';

const REMOVED: Aftermath = { forwarded: true, told: ['user.deleted', 'administrator.removed'], freed: true };

/**
 * The one way to change a user, for all channels: the record, the seat, the user change and the delivery are one atomic
 * write.
 *
 * The optimistic write is one guarded statement. Where its guard refuses (a lost race, a conflict, a limit that is
 * near) the same plan is made again in a transaction that locks the rows.
 */
@Injectable()
export class UsersService {
  constructor(
    private readonly db: Database,
    private readonly repository: UsersRepository,
    private readonly editing: UserEditing,
    private readonly conflicts: ConflictSearch,
    private readonly runner: WriteRunner,
    private readonly circles: Circles,
    private readonly tenants: TenantStore,
    private readonly storage: TenantStorage,
  ) {}

  /**
   * Creates a user, or links the draft with the one unmanaged user that it matches.
   *
   * @throws {Taken} when another user has the name (any channel), or the e-mail or key (all channels but SCIM)
   * @throws {SeatLimitReached} when no seat is free and the channel's policy is `block`
   * @throws {StorageExhausted} when the storage of the tenant is exhausted
   */
  async create(
    ctx: WriteContext,
    draft: UserDraft,
    roleSet: string | null = null,
    { id, createdAt, trigger, roleOrigin, afterLink, inPreview, inSameStatement, afterWrite }: CreateParts = {},
  ): Promise<WriteResult> {
    this.storage.demandRoom(ctx.tenantId);
    const tenant = await this.tenants.get(ctx.tenantId);
    const known = { roleSet, roleOrigin, trigger };
    const about: WriteCase = { ctx, tenant, row: null, draft, ...known, fromRules: [], released: null };
    const command = { kind: 'create', about } as const;
    const along = { inSameStatement, afterWrite };
    const optimistic = await this.runner.optimistic(command, ctx, newStamp({ id, createdAt }), along);
    if (optimistic) return this.finish(ctx, optimistic);
    const done = await retried(this.db, ctx.tenantId, async (tx): Promise<CompletedWrite> => {
      const found = await this.conflicts.users(tx, about);
      const link = await this.linkFor(tx, ctx, found, draft);
      if (link === null) {
        return this.runner.pessimistic(tx, command, ctx, newStamp({ id, createdAt }), along, Promise.resolve(found));
      }
      const { row, by } = link;
      if (inPreview && ctx.directory!.state === 'preview' && !row.gone) {
        await inPreview(tx, row.id, by);
        return { row, outcome: 'previewed', edit: null, forwarded: false, told: [], freed: false };
      }
      // The directory has written to the user before.
      if (!row.gone && isKeptFor(ctx, row) && (await this.editing.kept.find(ctx.tenantId, row, tx))?.doc)
        throw new Taken('user_name_taken', row.id);
      const edit: Edit = { kind: 'link', draft, directoryId: ctx.directory!.id, by, afterWrite: afterLink };
      const linked = await this.editing.locked(tx, ctx, tenant, row, edit);
      return linked.row.directory_id === ctx.directory!.id ? { ...linked, outcome: 'linked' } : linked;
    });
    return this.finish(ctx, done);
  }

  /**
   * Changes a user.
   *
   * @param edit returns the edit of the stored row, or null for no change; may throw, and is called again after a lost
   * race
   * @param asStored `edit` needs the groups of the user as they are stored
   * @param seen the row for `edit`; by default with the directory's write that waits for an administrator
   * @throws {NotFound} when there is no such user that `visible` accepts
   */
  async change(
    ctx: WriteContext,
    id: string,
    visible: (row: UserRow) => boolean,
    edit: (row: UserWithGroups) => Edit | null,
    asStored = false,
    seen = (row: UserWithGroups, db?: SqlRunner) => this.editing.kept.asWritten(ctx, row, db),
  ): Promise<WriteResult> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const quick = asStored ? null : await this.editing.recent(ctx, tenant, id, visible, edit);
    if (quick) return this.finish(ctx, quick);
    const row = await this.repository.read(ctx.tenantId, id);
    if (!row || row.gone || !visible(row)) throw new NotFound('user');
    const read = await seen(row);
    const wanted = edit(read);
    if (wanted === null) return { row: read, outcome: 'unchanged', edit: null };
    const optimistic = await this.editing.optimistic(ctx, tenant, row, wanted);
    if (optimistic) return this.finish(ctx, optimistic);
    const done = await retried(this.db, ctx.tenantId, async (tx): Promise<CompletedWrite> => {
      const locked = await this.repository.read(ctx.tenantId, id, tx, true);
      if (!locked || locked.gone || !visible(locked)) throw new NotFound('user');
      const again = edit(await seen(locked, tx));
      if (again === null) return unchanged(await seen(locked, tx));
      return this.editing.locked(tx, ctx, tenant, locked, again);
    });
    return this.finish(ctx, done);
  }

  /**
   * Changes a locked user. A user who is deleted for SCIM comes back. `edit` may read the database, and may throw.
   *
   * @throws {NotFound} when the tenant has no such user
   */
  async changeLocked(
    ctx: WriteContext,
    id: string,
    edit: (tx: SqlRunner, row: UserRow, tenant: TenantView) => Promise<Edit>,
  ): Promise<WriteResult> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const done = await retried(this.db, ctx.tenantId, async (tx): Promise<CompletedWrite> => {
      const row = await this.repository.read(ctx.tenantId, id, tx, true);
      if (!row) throw new NotFound('user');
      return this.editing.locked(tx, ctx, tenant, row, await edit(tx, row, tenant));
    });
    return this.finish(ctx, done);
  }

  /**
   * Decides the effective state of a user again from stored data: a seat became free, or a role moved. Writes of a
   * directory before it was replaced still count.
   *
   * @throws {NotFound} when there is no such user, or another directory manages the user by now
   */
  async reconsider(
    ctx: WriteContext,
    id: string,
    more: { released?: HeldReason; trigger?: Trigger } & Pick<Alongside, 'inSameStatement'> = {},
  ): Promise<WriteResult> {
    const directory = ctx.directory === null ? null : { ...ctx.directory, superseded: false };
    const own = (row: UserRow): boolean => row.directory_id === (directory?.id ?? null);
    const edit = (row: UserWithGroups): Edit | null => {
      if (isDiscarded(row)) return null;
      const draft = draftOf(JSON.parse(row.doc) as UserDocument, directory?.attributeMap);
      return { kind: 'reconsider', draft, ...more };
    };
    // A write that waits for an administrator continues to wait.
    return this.change({ ...ctx, directory, mayWait: true }, id, own, edit, true, (row) => Promise.resolve(row));
  }

  /** @throws {NotFound} when there is no such user that the caller may see */
  async remove(ctx: WriteContext, id: string, removal: Removal): Promise<void> {
    const tenant = await this.tenants.get(ctx.tenantId);
    const kept = await retried(this.db, ctx.tenantId, async (tx) => {
      // The lock lets a sign-in finish, so that the statement sees its session and ends it.
      const row = await this.repository.read(ctx.tenantId, id, tx, true);
      if (!row || row.gone !== (removal.ofGone ?? false) || !removal.visible(row)) throw new NotFound('user');
      removal.check?.(removal.releases === true ? row : await this.editing.kept.asWritten(ctx, row, tx));
      if (isOthers(ctx, row) && isBeyond(tenant, row, ctx.directory!) && removal.releases !== true) {
        await this.editing.kept.mark(tx, ctx, row);
        await this.editing.kept.keep(tx, ctx, row, { draft: null, by: 'id', fields: [] });
        return { ...row, kept_for: ctx.directory!.id };
      }
      // The user's lock prevents new memberships; the locks of its groups come next, before any row is deleted.
      await lockGroupsOf(tx, ctx.tenantId, id);
      const command = { kind: 'remove', about: { ctx, tenant, row }, trigger: removal.trigger } as const;
      const plan = (await this.runner.guarded(tx, command, ctx, NO_CONFLICTS, newStamp()))!;
      const isHeld = plan.subject.kind === 'hold_removal';
      const along = isHeld ? {} : { inSameStatement: removal.inSameStatement };
      if (!(await this.runner.run(tx, plan, ctx, along))) throw new LostRace();
      if (!isHeld) await removal.afterWrite?.(tx, id);
      return null;
    });
    if (kept !== null) return this.editing.kept.settled(ctx, kept);
    await this.runner.tell(ctx.tenantId, REMOVED);
  }

  private async linkFor(
    tx: SqlRunner,
    { tenantId, directory }: WriteContext,
    found: Parameters<typeof matchOf>[1],
    draft: UserDraft,
  ): Promise<{ row: UserWithGroups; by: LinkedBy } | null> {
    const match = matchOf(directory, found, !draft.active);
    if (match === null) return null;
    const row = await this.repository.read(tenantId, match.user.id, tx, true);
    // The user may have changed since it was read without a lock.
    const { gone, directory_id: directoryId, status, leaving } = match.user;
    if (!row || row.gone !== gone || row.directory_id !== directoryId || row.status !== status) throw new LostRace();
    if (leaving !== (status === 'active' && (gone || !row.active))) throw new LostRace();
    return { row, by: match.by };
  }

  /**
   * Lets users exchange the values for which they are held, on demand. Returns false when the user is in no circle.
   */
  async exchange(ctx: WriteContext, id: string, along: Pick<Alongside, 'inSameStatement'>): Promise<boolean> {
    const row = await this.repository.read(ctx.tenantId, id);
    const done = row === undefined ? [] : await this.circles.settle(ctx, row, along);
    for (const one of done) await this.tell(ctx.tenantId, one);
    return done.length > 0;
  }

  private async finish(ctx: WriteContext, done: CompletedWrite): Promise<WriteResult> {
    await this.editing.kept.settled(ctx, done.row);
    const exchanged = await this.circles.after(ctx, done.row);
    for (const one of [done, ...exchanged]) await this.tell(ctx.tenantId, one);
    const { forwarded: _, freed: __, told: ___, ...result } = done;
    const own = exchanged.find(({ row }) => row.id === done.row.id);
    return own === undefined ? result : { ...result, row: own.row };
  }

  private async tell(tenantId: string, done: CompletedWrite): Promise<void> {
    if (done.outcome !== 'unchanged' && done.outcome !== 'previewed') this.editing.remember(tenantId, done.row);
    await this.runner.tell(tenantId, done);
  }
}

function unchanged(row: UserWithGroups): CompletedWrite {
  return { row, outcome: 'unchanged', edit: null, forwarded: false, told: [], freed: false };
}
