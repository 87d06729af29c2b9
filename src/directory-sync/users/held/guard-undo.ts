import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Conflict, DomainError, NotFound } from '../../../base/errors/domain-error.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../../engine/work/tasks.service.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';
import type { Person } from '../../../tenancy/identity/person.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { type Caller, sourceOf, type RequestedBy } from '../../../tenancy/tenants/caller.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { joinGroups } from '../groups/memberships.sql.js';
import type { DepartureKind } from '../guard/guard.rules.js';
import { draftOf, type UserDocument } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { UsersRepository } from '../users.repository.js';
import { givenRoles } from '../write/state.rules.js';
import { UsersService } from '../write/users.service.js';
import type { WriteContext } from '../write/write-case.js';

const BATCH = 100;

interface Left {
  how: DepartureKind;
  person: Person;
  /** The resource of a deleted user; null when the user is not deleted. */
  doc: string | null;
  /** When a deleted user was created; null when an older version of the service deleted the user. */
  user_created_at: Date | null;
  groups: string[];
}

interface UndoChoice {
  directory: string;
  user_ids?: string[] | undefined;
}

type UndoPayload = UndoChoice & { after?: string };

// The first rule that gives the user a role gives another one than the former role.
const RULED = `d.how in ('role_lost', 'seat_lost') and (select r.role from group_rules r
    join group_members m on m.tenant_id = $1 and m.group_id = r.group_id and m.member_id = d.user_id
    join roles c on c.tenant_id = $1 and c.name = r.role
    where r.tenant_id = $1 and r.directory_id = $2 order by r.position limit 1) <> d.person ->> 'role'`;

const MATCHES = `tenant_id = $1 and directory_id = $2 and went_at > now() - interval '1 day'
  and ($3::text[] is null or user_id = any($3))`;

/**
 * Undoes departures in a task. A user comes back with id, role, groups and account of the platform; the seat follows the
 * ordinary rule.
 */
@Injectable()
export class GuardUndo {
  constructor(
    private readonly db: Database,
    private readonly tasks: TasksRepository,
    private readonly audit: AuditService,
    handlers: TaskHandlers,
    private readonly users: UsersService,
    private readonly rows: UsersRepository,
    private readonly directories: DirectoryStore,
  ) {
    handlers.add<UndoPayload>(['guard.undo'], { run: (task) => this.batch(task) });
  }

  /**
   * Counts the departures of a choice that can be undone, and those that an undo leaves out: the user has lost a role
   * or a seat, and a rule still gives the present role.
   */
  async count(tenantId: string, { directory, user_ids: ids }: UndoChoice): Promise<{ all: number; ruled: number }> {
    const { rows } = await this.db.query<{ all: number; ruled: number }>(
      `select count(*)::int as all, (count(*) filter (where ${RULED}))::int as ruled from guard_departures d where ${MATCHES}`,
      [tenantId, directory, ids ?? null],
    );
    return rows[0]!;
  }

  /**
   * @throws {NotFound} when the only user of the choice has not left
   * @throws {Conflict} `window_over` when no user of the directory left within the last 24 hours
   * @throws {TooMany} `too_many_tasks`
   */
  async begin(caller: Caller, choice: UndoChoice, count: number): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    const total = choice.user_ids?.length ?? count;
    const task = await once(this.db, caller, async (tx) => {
      if (count === 0 && choice.user_ids?.length === 1) throw new NotFound('departure');
      if (count === 0) {
        const message = 'No user left this directory within the last 24 hours, and an earlier departure is not undone.';
        throw new Conflict('window_over', message);
      }
      await demandRoom(tx, TASKS_CAP, tenantId);
      const made = await this.tasks.add(tx, tenantId, {
        kind: 'guard.undo',
        payload: choice,
        total,
        createdBy: actor,
      });
      const line = { tenantId, actor, requestId, targetType: 'task', targetId: made.id };
      await this.audit.record(tx, { ...line, action: 'guard.undo_begun', after: { ...choice, total } });
      return made;
    });
    this.tasks.wake();
    return task;
  }

  private async batch(task: Task<UndoPayload>): Promise<Batch> {
    const { directory, user_ids: ids, after } = task.payload;
    const { rows } = await this.db.query<{ id: string }>(
      `select user_id as id from guard_departures where ${MATCHES} and user_id > $4 order by user_id limit ${BATCH}`,
      [task.tenantId, directory, ids ?? null, after ?? ''],
    );
    const result: Record<string, number> = { brought_back: 0, left_out: 0, ...task.result };
    const missing = after === undefined ? await this.missing(task, rows) : [];
    for (const id of missing)
      await this.omit(task, id, 'not_counted', 'The user has not left within the last 24 hours.');
    result['left_out']! += missing.length;
    for (const { id } of rows) result[(await this.one(task, id)) ? 'brought_back' : 'left_out']!++;
    const next = rows.length < BATCH ? null : { ...task.payload, after: rows.at(-1)!.id };
    return { done: rows.length + missing.length, next, result };
  }

  private async missing({ tenantId, payload }: Task<UndoPayload>, first: readonly { id: string }[]): Promise<string[]> {
    const { directory, user_ids: ids } = payload;
    if (ids === undefined) return [];
    const { rows } =
      first.length < BATCH
        ? { rows: first }
        : await this.db.query<{ id: string }>(`select user_id as id from guard_departures where ${MATCHES}`, [
            tenantId,
            directory,
            ids,
          ]);
    const known = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !known.has(id));
  }

  private async one(task: Task<UndoPayload>, userId: string): Promise<boolean> {
    const by = { tenantId: task.tenantId, actor: task.createdBy, requestId: task.id };
    try {
      await this.bringBack(by, task.payload.directory, userId);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await this.omit(task, userId, error.code, error.message);
      return false;
    }
  }

  /**
   * Brings one user back.
   *
   * @throws {NotFound} when the user has not left the directory within the last 24 hours
   * @throws {Conflict} `rule_still_applies` when a rule still gives the present role or seat; `still_held` when the
   * user is held for another reason
   * @throws {Taken} when another user has the name
   */
  private async bringBack(by: RequestedBy, directoryId: string, userId: string): Promise<void> {
    const { tenantId } = by;
    const left = await this.left(tenantId, directoryId, userId);
    const directory = await this.directories.get(tenantId, directoryId);
    const source = sourceOf(by);
    // A new user of the same name is not linked.
    const ctx: WriteContext = {
      tenantId,
      channel: 'scim',
      directory: { ...directory, onMatch: 'refuse' },
      source,
      receivedAt: new Date(),
      mayWait: true,
    };
    const row =
      left.doc === null ? await this.active(ctx, by, userId, left) : await this.again(ctx, by, userId, left, left.doc);
    if (row.status !== 'active') {
      throw new Conflict('still_held', `The user is not in force again: held as ${row.held ?? 'inactive'}.`);
    }
  }

  private async left(tenantId: string, directoryId: string, userId: string): Promise<Left> {
    const { rows } = await this.db.query<Left>(
      `select how, person, doc::text as doc, user_created_at, groups from guard_departures
       where tenant_id = $1 and directory_id = $2 and user_id = $3 and went_at > now() - interval '1 day'`,
      [tenantId, directoryId, userId],
    );
    if (rows[0] === undefined) throw new NotFound('departure');
    return rows[0];
  }

  /**
   * Makes an existing user active, in the former groups that still exist. The former role is set where no rule and no
   * resource gives it.
   */
  private async active(
    ctx: WriteContext,
    by: RequestedBy,
    userId: string,
    { how, person, groups }: Left,
  ): Promise<UserRow> {
    const { tenantId, directory } = ctx;
    const { row: after } = await this.users.changeLocked(ctx, userId, async (tx, row, tenant) => {
      await joinGroups(tx, tenantId, userId, groups);
      const fromRules = directory!.hasRules ? await this.rows.rolesFromRules(tenantId, directory!.id, row.id, tx) : [];
      const doc = { ...(JSON.parse(row.doc) as UserDocument), active: true };
      const draft = draftOf(doc, directory!.attributeMap);
      const given = givenRoles({ ctx, tenant, row, draft, roleSet: row.role_set, fromRules, released: null });
      const isGiven = (given.byResource ?? given.byRules) === person.role;
      // A rule comes before a role that is set: only another rule gives back what a rule took.
      const isRuled = given.byResource !== null || fromRules.some(({ role }) => tenant.roles.has(role));
      if (!isGiven && isRuled && (how === 'role_lost' || how === 'seat_lost')) {
        const why = `A rule of the directory, or its roles, still gives the role "${given.byResource ?? given.byRules}".`;
        throw new Conflict('rule_still_applies', why);
      }
      return {
        kind: 'change',
        draft,
        ...(isGiven || person.role === null ? {} : { roleSet: person.role, roleOrigin: { by: 'set' } as const }),
        trigger: { kind: 'undone' },
        inSameStatement: (statement) => this.audit.addTo(statement, this.line(by, userId)),
      };
    });
    return after;
  }

  /** Creates a deleted user again, with the old id and in the groups that still exist. */
  private async again(ctx: WriteContext, by: RequestedBy, userId: string, left: Left, doc: string): Promise<UserRow> {
    const { tenantId, directory } = ctx;
    const draft = draftOf({ ...(JSON.parse(doc) as UserDocument), active: true }, directory!.attributeMap);
    await this.users.create(ctx, draft, null, {
      id: userId,
      createdAt: left.user_created_at ?? undefined,
      trigger: { kind: 'undone' },
      inSameStatement: (statement) => {
        this.audit.addTo(statement, this.line(by, userId));
      },
      afterWrite: async (tx: SqlRunner) => {
        await tx.query(`delete from deleted_users where tenant_id = $1 and id = $2`, [tenantId, userId]);
        await tx.query(`delete from guard_departures where tenant_id = $1 and directory_id = $2 and user_id = $3`, [
          tenantId,
          directory!.id,
          userId,
        ]);
        await joinGroups(tx, tenantId, userId, left.groups);
      },
    });
    // Rules give the role only once the user is in the groups.
    const { row } = await this.users.reconsider(ctx, userId, { trigger: { kind: 'undone' } });
    return row.role === left.person.role ? row : this.active(ctx, by, userId, left);
  }

  private line({ tenantId, actor, requestId }: RequestedBy, userId: string) {
    return { tenantId, actor, requestId, action: 'guard.undone', targetType: 'user', targetId: userId };
  }

  private omit(task: Task<UndoPayload>, userId: string, reason: string, detail: string): Promise<void> {
    return this.tasks.addLeftOut(task.tenantId, task.id, { id: userId, item: { user_id: userId }, reason, detail });
  }
}
