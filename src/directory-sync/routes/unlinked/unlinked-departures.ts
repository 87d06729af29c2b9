import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { Conflict, DomainError, NotFound } from '../../../base/errors/domain-error.js';
import { TaskHandlers, TaskFailed, TaskInterrupted, type Batch, type Task } from '../../../engine/work/task.js';
import { LeftOutRepository, TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../../engine/work/tasks.service.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { draftOf, type UserDocument } from '../../users/user.mapping.js';
import { UsersService } from '../../users/write/users.service.js';
import { UnlinkedUsers, type Successor, type UnlinkedChoice } from './unlinked-users.js';

/** `after`: the user after which the next batch begins. */
type Payload = UnlinkedChoice & { directory: string; after?: string };

const BATCH = 100;
const NOT_UNLINKED = 'The user is not active, or the replaced directory does not manage the user.';

/** Deactivates users whom a replaced directory still manages, as if its successor had written `active: false`. */
@Injectable()
export class UnlinkedDepartures {
  constructor(
    private readonly db: Database,
    private readonly unlinked: UnlinkedUsers,
    private readonly users: UsersService,
    private readonly leftOut: LeftOutRepository,
    private readonly audit: AuditService,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    handlers.add<Payload>(['unlinked.deactivate'], { run: (task) => this.batch(task) });
  }

  /**
   * Begins a task.
   *
   * @throws {NotFound} when the one user of the choice is not unlinked
   * @throws {TooMany} `too_many_tasks`
   */
  async begin(caller: Caller, { id }: Successor, choice: UnlinkedChoice, count: number): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    const total = choice.user_ids?.length ?? count;
    const payload: Payload = { directory: id, ...choice };
    const task = await once(this.db, caller, async (tx) => {
      if (count === 0 && choice.user_ids?.length === 1) throw new NotFound('unlinked user');
      await demandRoom(tx, TASKS_CAP, tenantId);
      const kind = 'unlinked.deactivate';
      const made = await this.tasks.add(tx, tenantId, { kind, payload, total, createdBy: actor, directoryId: id });
      const line = { tenantId, actor, requestId, targetType: 'task', targetId: made.id };
      await this.audit.record(tx, { ...line, action: 'unlinked.deactivate_begun', after: { ...payload, total } });
      return made;
    });
    this.tasks.wake();
    return task;
  }

  private async batch(task: Task<Payload>): Promise<Batch> {
    const { directory, user_ids: ids, after } = task.payload;
    const successor = await this.successor(task.tenantId, directory);
    const rows = await this.unlinked.list(successor, { after: after ?? null, limit: BATCH }, { user_ids: ids });
    const result: Record<string, number> = { deactivated: 0, held: 0, left_out: 0, ...task.result };
    const others = after === undefined ? await this.others(successor, ids) : [];
    for (const id of others) await this.omit(task, id, 'not_unlinked', NOT_UNLINKED);
    result['left_out']! += others.length;
    for (const { user_id: id } of rows) result[await this.one(task, successor, id)]!++;
    const next = rows.length < BATCH ? null : { ...task.payload, after: rows.at(-1)!.user_id };
    return { done: rows.length + others.length, next, result };
  }

  /** Links one user with the successor, whose guard decides about the departure; returns what came of it. */
  private async one(
    task: Task<Payload>,
    successor: Successor,
    userId: string,
  ): Promise<'deactivated' | 'held' | 'left_out'> {
    const { tenantId, id: directoryId, takesOver, attributeMap } = successor;
    const actor = task.createdBy;
    const source = { request_id: task.id, surface: 'system', directory_id: directoryId, actor } as const;
    const context = { tenantId, channel: 'scim', directory: successor, source, receivedAt: new Date() } as const;
    try {
      const { row } = await this.users.change(
        { ...context, mayWait: true },
        userId,
        (user) => user.directory_id === takesOver && user.status === 'active',
        ({ doc }) => {
          const draft = draftOf({ ...(JSON.parse(doc) as UserDocument), active: false }, attributeMap);
          return { kind: 'link', draft, directoryId, by: 'id' };
        },
      );
      return row.status === 'active' ? 'held' : 'deactivated';
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isMissing = error instanceof NotFound;
      await this.omit(task, userId, isMissing ? 'not_unlinked' : error.code, isMissing ? NOT_UNLINKED : error.message);
      return 'left_out';
    }
  }

  /** The users of the list whom the task is not about. */
  private async others(successor: Successor, ids: string[] | undefined): Promise<string[]> {
    if (ids === undefined) return [];
    const rows = await this.unlinked.list(successor, { after: null, limit: ids.length }, { user_ids: ids });
    const known = new Set(rows.map(({ user_id }) => user_id));
    return ids.filter((id) => !known.has(id));
  }

  private async successor(tenantId: string, directoryId: string): Promise<Successor> {
    try {
      const successor = await this.unlinked.successor(tenantId, directoryId);
      if (successor === null) throw new TaskFailed('The directory takes over no other one any more.');
      return successor;
    } catch (error) {
      if (error instanceof Conflict && error.code === 'going_live') throw new TaskInterrupted(error.message);
      if (error instanceof DomainError) throw new TaskFailed(error.message);
      throw error;
    }
  }

  private omit(task: Task<Payload>, userId: string, reason: string, detail: string): Promise<void> {
    return this.leftOut.add(task.tenantId, task.id, { id: userId, item: { user_id: userId }, reason, detail });
  }
}
