import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { Conflict, DomainError, NotFound } from '../../../base/errors/domain-error.js';
import { type Batch, type Task, TaskHandlers } from '../../../engine/work/task.js';
import { LeftOutRepository, TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../../engine/work/tasks.service.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { BroughtBack } from './brought-back.js';

/** Which departures are undone: those of a list, or all of the directory. */
export interface UndoChoice {
  directory: string;
  user_ids?: string[] | undefined;
}

/** `after`: the user after which the next batch begins. */
type UndoPayload = UndoChoice & { after?: string };

const BATCH = 100;

// The first rule that gives the user a role gives another one than the user had.
const RULED = `d.how in ('role_lost', 'seat_lost') and (select r.role from group_rules r
    join group_members m on m.tenant_id = $1 and m.group_id = r.group_id and m.member_id = d.user_id
    join roles c on c.tenant_id = $1 and c.name = r.role
    where r.tenant_id = $1 and r.directory_id = $2 order by r.position limit 1) <> d.person ->> 'role'`;

const MATCHES = `tenant_id = $1 and directory_id = $2 and went_at > now() - interval '1 day'
  and ($3::text[] is null or user_id = any($3))`;

/** Brings users back who left before the guard of their directory held the others, in small steps. */
@Injectable()
export class GuardUndo {
  constructor(
    private readonly db: Database,
    private readonly back: BroughtBack,
    private readonly leftOut: LeftOutRepository,
    private readonly audit: AuditService,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    handlers.add<UndoPayload>(['guard.undo'], { run: (task) => this.batch(task) });
  }

  /**
   * Counts the departures of a choice that can be undone, and those of them that an undo leaves out: the user has lost a role
   * or a seat, and a rule still gives the role that the user has now.
   */
  async count(tenantId: string, { directory, user_ids: ids }: UndoChoice): Promise<{ all: number; ruled: number }> {
    const { rows } = await this.db.query<{ all: number; ruled: number }>(
      `select count(*)::int as all, (count(*) filter (where ${RULED}))::int as ruled from guard_departures d where ${MATCHES}`,
      [tenantId, directory, ids ?? null],
    );
    return rows[0]!;
  }

  /**
   * Begins a task.
   *
   * @throws {NotFound} when the one user of the choice has not left
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
      const made = await this.tasks.add(tx, tenantId, { kind: 'guard.undo', payload: choice, total, createdBy: actor });
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

  /** The users of the list who have not left. */
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

  /** Returns whether the user is back; else the cause is noted. */
  private async one(task: Task<UndoPayload>, userId: string): Promise<boolean> {
    const by = { tenantId: task.tenantId, actor: task.createdBy, requestId: task.id };
    try {
      await this.back.one(by, task.payload.directory, userId);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await this.omit(task, userId, error.code, error.message);
      return false;
    }
  }

  private omit(task: Task<UndoPayload>, userId: string, reason: string, detail: string): Promise<void> {
    return this.leftOut.add(task.tenantId, task.id, { id: userId, item: { user_id: userId }, reason, detail });
  }
}
