import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Conflict, NotFound } from '../../base/errors/domain-error.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { holdsScope, type Caller } from '../../tenancy/tenants/caller.js';
import { TENANT_ROW, type Cap } from '../../tenancy/tenants/caps.js';
import type { Scope } from '../../tenancy/tenants/scopes.js';
import { TaskHandlers } from './task.js';
import { TasksRepository, type TaskRow } from './tasks.repository.js';

@Injectable()
export class TasksService {
  constructor(
    private readonly db: Database,
    private readonly repository: TasksRepository,
    private readonly handlers: TaskHandlers,
    private readonly audit: AuditService,
  ) {}

  /**
   * Returns one task: of the tenant for a caller who reads settings, else one that the caller began.
   *
   * @throws {NotFound} when there is no such task
   */
  show(caller: Caller, id: string): Promise<TaskRow> {
    return this.demand(caller, id, 'settings:read');
  }

  /**
   * Stops a task. A task that is cancelled already stays cancelled.
   *
   * @throws {NotFound} as for `show`
   * @throws {Conflict} `task_over` when it is done or failed, `task_not_cancellable` when its kind cannot be stopped
   */
  async cancel(caller: Caller, id: string): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    const before = await this.demand(caller, id, 'admin');
    if (!this.handlers.isCancellable(before.kind)) {
      const why = 'it works off a change that is already in force, which users would then have only in part';
      throw new Conflict('task_not_cancellable', `A task of the kind ${before.kind} cannot be cancelled: ${why}.`);
    }
    return this.db.transaction(tenantId, async (tx) => {
      const stopped = await this.repository.cancel(tx, tenantId, id);
      const after = (await this.repository.find(tenantId, id, { db: tx }))!;
      if (!stopped && after.state !== 'cancelled') {
        throw new Conflict('task_over', `The task is ${after.state} already and cannot be cancelled.`);
      }
      if (stopped) {
        await this.audit.record(tx, {
          tenantId,
          actor,
          requestId,
          action: 'task.cancelled',
          targetType: 'task',
          targetId: id,
          before: { state: before.state, done: before.done },
        });
      }
      return after;
    });
  }

  private async demand(caller: Caller, id: string, scope: Scope): Promise<TaskRow> {
    const { tenantId, actor } = caller;
    const row = await this.repository.find(tenantId, id, { actorId: holdsScope(caller, scope) ? null : actor.id });
    if (row === undefined) throw new NotFound('task');
    return row;
  }
}

export const TASKS_CAP: Cap = {
  most: 20,
  code: 'too_many_tasks',
  whose: 'A tenant',
  what: 'imports, comparisons, resends, replays of webhooks, plans of rules and tasks of held users, of a guard or of unlinked users that wait or run',
  remedy: 'wait until one has finished',
  count: `select count(*)::int as n from tasks
    where tenant_id = $1 and state in ('waiting', 'running') and kind in ('platform.import', 'platform.drift', 'changes.resend', 'changes.retry', 'changes.dismiss', 'held.release', 'held.discard', 'guard.undo', 'unlinked.deactivate', 'webhooks.replay', 'rules.plan')`,
  lock: TENANT_ROW,
};
