import { Injectable } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import { Database } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import { Logger } from '../../../base/log/logger.js';
import type { Trigger } from '../../../tenancy/identity/cause.rules.js';
import { type HeldReason, type ChangeSource, systemActor } from '../../../tenancy/identity/person.js';
import { AuditService, type AuditLine } from '../../../tenancy/tenants/audit/audit.service.js';
import { sourceOf, type RequestedBy } from '../../../tenancy/tenants/caller.js';
import { ProtectionEnded } from '../../../tenancy/tenants/tenants.events.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { joinAwaited } from '../groups/group.row.js';
import { rejoinHeld } from '../groups/memberships.sql.js';
import { UserDirectoryRepository, type NamedUser } from '../user-directory.repository.js';
import { draftOf, type UserDocument } from '../user.mapping.js';
import { standIn } from '../user.row.js';
import { Taken } from '../users.errors.js';
import { UsersRepository } from '../users.repository.js';
import { KeptWrites } from '../write/kept-writes.js';
import { knownAs } from '../write/known-as.rules.js';
import { addNote, type UserNote } from '../write/side-rows.sql.js';
import { discarded, givenRoles } from '../write/state.rules.js';
import { UsersService, type AfterWrite } from '../write/users.service.js';
import type { WriteContext } from '../write/write-case.js';
import { HELD_REASONS } from './held.dto.js';

/** The reasons that an administrator can set aside; the others end with their cause. */
export const RELEASABLE: ReadonlySet<HeldReason> = new Set([
  'guard',
  'protected',
  'needs_admin',
  'no_seat',
  'external_id_taken',
]);

const CAUSE: Partial<Record<HeldReason, string>> = {
  no_email: 'there is no e-mail address; the user is forwarded when one arrives',
  no_role: 'no role applies yet; the user comes into force when one does',
  email_taken: 'another active user has the e-mail address; it is the platform’s key and cannot be given twice',
};

function changedMeanwhile(): Conflict {
  return new Conflict('changed_meanwhile', 'The user was changed at the same moment; look again.');
}

function cannotBeReleased(why: string): Conflict {
  return new Conflict('cannot_be_released', `This cannot be released: ${why}.`);
}

function noteOf(event: 'released' | 'discarded', row: NamedUser, userName?: string): UserNote {
  const name = userName === undefined ? {} : { user_name: userName };
  return { kind: 'held', detail: { event, reason: row.held ?? '', ...name } };
}

const BATCH = 100;

/** A scrape must not read a whole table. */
const MOST = 20_000;

/**
 * Releases and discards held users: users whose requested state is not in force.
 *
 * The writes of a directory take effect for a user who is no longer the owner or a break-glass account.
 */
@Injectable()
export class HeldService {
  constructor(
    private readonly users: UsersService,
    private readonly rows: UsersRepository,
    private readonly repository: UserDirectoryRepository,
    private readonly directories: DirectoryStore,
    private readonly audit: AuditService,
    private readonly kept: KeptWrites,
    private readonly db: Database,
    private readonly logger: Logger,
    events: DomainEvents,
  ) {
    events.on(ProtectionEnded, ({ by, userIds }) => this.judge(by, userIds));
  }

  /**
   * Puts the requested state into force. Users who are held for each other's values exchange them.
   *
   * @throws {Conflict} when an administrator cannot set the reason aside
   */
  async release(caller: RequestedBy, userId: string): Promise<NamedUser | null> {
    const row = await this.heldRow(caller.tenantId, userId);
    if (row.held === 'needs_admin') await this.releaseKept(caller, row);
    else await this.lift(caller, row, row.held);
    return (await this.repository.one(caller.tenantId, userId)) ?? null;
  }

  private async releaseKept(caller: RequestedBy, seen: NamedUser): Promise<void> {
    const { tenantId } = caller;
    const source = sourceOf(caller);
    const directory = await this.directories.get(tenantId, seen.kept_for!);
    const kept = await this.kept.find(tenantId, seen);
    if (kept === undefined) throw changedMeanwhile();
    const receivedAt = seen.held_since === null ? new Date() : new Date(seen.held_since);
    const context: WriteContext = { tenantId, channel: 'scim', directory, source, receivedAt, mayWait: true };
    const trigger: Trigger = { kind: 'released', reason: 'needs_admin' };
    const inSameStatement = (statement: WriteStatement) => {
      this.audit.addTo(statement, this.line(caller, seen, 'released'));
      addNote(statement, tenantId, noteOf('released', seen), source);
    };
    if (kept.doc === null) {
      await this.users.remove(context, seen.id, { visible: () => true, trigger, inSameStatement, releases: true });
      return;
    }
    const draft = draftOf(JSON.parse(kept.doc) as UserDocument, directory.attributeMap);
    const isOwn = seen.directory_id === directory.id;
    await this.users.changeLocked(context, seen.id, (_, row) => {
      if (row.version !== seen.version) throw changedMeanwhile();
      const edit = { draft, trigger, inSameStatement };
      if (isOwn) return Promise.resolve({ ...edit, kind: 'change' });
      const afterWrite: AfterWrite = async (tx, id) => void (await joinAwaited(tx, tenantId, directory.id, id));
      return Promise.resolve({ ...edit, kind: 'link', directoryId: directory.id, by: kept.linked_by, afterWrite });
    });
    // Rules give the role once the user is in the groups that awaited the user.
    if (!isOwn && directory.hasRules) await this.users.reconsider({ ...context }, seen.id, { trigger });
  }

  /** Drops the write of a directory that waits for an administrator: the directory reads the effective state again. */
  private async discardKept(caller: RequestedBy, seen: NamedUser): Promise<NamedUser> {
    const { tenantId } = caller;
    const context = await this.contextOf(tenantId, seen, sourceOf(caller));
    await this.users.changeLocked({ ...context, mayWait: true }, seen.id, async (tx, row) => {
      if (row.version !== seen.version) throw changedMeanwhile();
      await this.kept.drop(tx, tenantId, row);
      const inSameStatement = (statement: WriteStatement) => {
        this.audit.addTo(statement, this.line(caller, seen, 'discarded'));
        addNote(statement, tenantId, noteOf('discarded', seen), context.source);
      };
      const draft = draftOf(JSON.parse(row.doc) as UserDocument, context.directory?.attributeMap);
      const trigger: Trigger = { kind: 'discarded', reason: 'needs_admin' };
      return { kind: 'reconsider', draft, keptFor: null, trigger, inSameStatement };
    });
    return (await this.repository.one(tenantId, seen.id))!;
  }

  /** Decides again about a user who is no longer the owner or a break-glass account. */
  private async endProtection(by: RequestedBy, userId: string): Promise<void> {
    const row = await this.repository.one(by.tenantId, userId);
    if (row?.held === 'protected') await this.lift(by, row, null);
  }

  /** @param released the reason that an administrator sets aside; null when the reason has ended */
  private async lift(caller: RequestedBy, row: NamedUser, released: HeldReason | null): Promise<void> {
    const source = sourceOf(caller);
    // The time of a departure is that of the IdP's request.
    const asked = row.held_since === null ? new Date() : new Date(row.held_since);
    const context = { ...(await this.contextOf(caller.tenantId, row, source)), receivedAt: asked };
    const inSameStatement = (statement: WriteStatement) => {
      this.audit.addTo(statement, this.line(caller, row, 'released'));
      addNote(statement, caller.tenantId, noteOf('released', row), source);
    };
    const isReleasable = released === null || RELEASABLE.has(released);
    const held = row.held === null ? {} : { reason: row.held };
    const trigger: Trigger = { kind: released === null ? 'hold_ended' : 'released', ...held };
    if (row.gone && isReleasable) {
      const removal = { visible: () => true, ofGone: true, inSameStatement, trigger };
      await this.users.remove({ ...context, channel: 'api' }, row.id, removal);
    } else if (released === null) {
      await this.users.reconsider(context, row.id, { inSameStatement, trigger });
    } else if (!(await this.users.exchange(context, row.id, { inSameStatement }))) {
      if (!isReleasable) throw cannotBeReleased(CAUSE[released] ?? 'its cause still stands');
      const { row: after } = await this.users.reconsider(context, row.id, { released, inSameStatement, trigger });
      if (released === 'external_id_taken' && after.held === released) {
        throw cannotBeReleased('the userName, which would be the external_id, is that of another active user');
      }
    }
  }

  /**
   * Makes the effective state the requested one, permanently: the IdP reads it back, and only a new write changes it.
   *
   * Where another user has the `userName` of a removed user, a substitute replaces it; the history has both.
   *
   * @throws {NotFound} when the user is not held
   */
  async discard(caller: RequestedBy, userId: string): Promise<NamedUser> {
    const row = await this.heldRow(caller.tenantId, userId);
    if (row.held === 'needs_admin') return this.discardKept(caller, row);
    const context = await this.contextOf(caller.tenantId, row, sourceOf(caller));
    const { user_name: userName } = knownAs(row);
    try {
      await this.discardAs(caller, context, row, userName);
    } catch (error) {
      if (!(error instanceof Taken) || error.code !== 'user_name_taken') throw error;
      await this.discardAs(caller, context, row, standIn(userName));
    }
    return (await this.repository.one(caller.tenantId, userId))!;
  }

  private async discardAs(
    caller: RequestedBy,
    context: WriteContext,
    seen: NamedUser,
    userName: string,
  ): Promise<void> {
    const { tenantId, directory, source } = context;
    await this.users.changeLocked(context, seen.id, async (tx, row, tenant) => {
      if (row.held !== seen.held || row.version !== seen.version) throw changedMeanwhile();
      await rejoinHeld(tx, tenantId, row.id);
      const map = directory?.attributeMap ?? {};
      const fromRules = directory?.hasRules ? await this.rows.rolesFromRules(tenantId, directory.id, row.id, tx) : [];
      const draft = draftOf(JSON.parse(row.doc) as UserDocument, map);
      const about = { ctx: context, tenant, row, draft, roleSet: row.role_set, fromRules, released: null };
      const { doc, discardedRole } = discarded(row, map, givenRoles(about), userName);
      const standsIn = userName === knownAs(row).user_name ? undefined : userName;
      const inSameStatement = (statement: WriteStatement) => {
        this.audit.addTo(statement, this.line(caller, seen, 'discarded'));
        addNote(statement, tenantId, noteOf('discarded', seen, standsIn), source);
      };
      const released = row.held === 'no_email' ? row.held : null;
      return { kind: 'discard', draft: draftOf(doc, map), discardedRole, released, inSameStatement };
    });
  }

  private async heldRow(tenantId: string, userId: string): Promise<NamedUser> {
    const row = await this.repository.one(tenantId, userId);
    if (!row || row.held === null) throw new NotFound('held user');
    return row;
  }

  private async contextOf(tenantId: string, row: NamedUser, source: ChangeSource): Promise<WriteContext> {
    const directory = row.directory_id === null ? null : await this.directories.get(tenantId, row.directory_id);
    return {
      tenantId,
      channel: row.directory_id === null ? row.source : 'scim',
      directory,
      source,
      receivedAt: new Date(),
    };
  }

  private line(caller: RequestedBy, row: NamedUser, what: 'released' | 'discarded'): AuditLine {
    return {
      tenantId: caller.tenantId,
      actor: caller.actor,
      action: `held.${what}`,
      targetType: 'user',
      targetId: row.id,
      before: { held: row.held },
      after: { held: null },
      requestId: caller.requestId,
    };
  }

  async judgeAll(): Promise<void> {
    const { rows } = await this.db.query<{ tenant_id: string; id: string }>(
      `select u.tenant_id, u.id from users u join tenants t on t.id = u.tenant_id
       where u.held = 'protected' and u.id is distinct from t.owner_user_id and u.id <> all (t.break_glass)
       order by u.tenant_id, u.id limit ${BATCH}`,
    );
    for (const { tenant_id: tenantId, id } of rows) {
      await this.judge({ tenantId, actor: systemActor('end of protection'), requestId: '' }, [id]);
    }
  }

  private async judge(by: RequestedBy, userIds: readonly string[]): Promise<void> {
    for (const id of userIds) {
      try {
        await this.endProtection(by, id);
      } catch (error) {
        // The change of the tenant is committed; the sweep tries again.
        this.logger.error('judging a former protected user failed', { user_id: id, error });
      }
    }
  }

  register(registry: Registry): void {
    const { db } = this;
    new Gauge({
      name: 'bridge_users_held',
      help: `Held users by reason, up to ${MOST} in all`,
      labelNames: ['reason'],
      registers: [registry],
      async collect() {
        // In the order of the index of held users, which the limit then reads in part.
        const { rows } = await db.query<{ held: string; count: number }>(
          `select held, count(*)::int as count from (
             select held from users where held is not null order by tenant_id, held_since, id limit ${MOST}) h
           group by held`,
        );
        const counts = new Map(rows.map(({ held, count }) => [held, count]));
        for (const reason of HELD_REASONS) this.set({ reason }, counts.get(reason) ?? 0);
      },
    });
  }
}
