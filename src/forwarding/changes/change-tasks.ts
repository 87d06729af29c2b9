import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Conflict, InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { TaskHandlers, type Batch, type Task } from '../../engine/work/task.js';
import { LeftOutRepository, TasksRepository, type TaskRow } from '../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../engine/work/tasks.service.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { demandRoom } from '../../tenancy/tenants/caps.js';
import { changeId } from './change.mapping.js';
import { ChangesService } from './changes.service.js';
import { ParkedChangesRepository, type ParkedChoice, type ParkedUser } from './parked-changes.repository.js';

/** What happens to the parked changes of a task. */
export type ChangeAct = 'retry' | 'dismiss';

/** `after`: the user after whom the next batch begins. `reason`: why the changes are dismissed. */
type ChangePayload = ParkedChoice & { after?: string; reason?: string };

const BATCH = 100;
/** The name under which a task counts the changes for which it was done. */
const DONE = { retry: 'retried', dismiss: 'dismissed' } as const satisfies Record<ChangeAct, string>;

/** Retries or dismisses many parked changes, in small steps that each leave their progress behind. */
@Injectable()
export class ChangeTasks {
  constructor(
    private readonly db: Database,
    private readonly changes: ChangesService,
    private readonly parked: ParkedChangesRepository,
    private readonly leftOut: LeftOutRepository,
    private readonly audit: AuditService,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    for (const act of ['retry', 'dismiss'] as const) {
      handlers.add<ChangePayload>([`changes.${act}`], { run: (task) => this.batch(act, task) });
    }
  }

  /** Counts the users whose parked change a task would be about. */
  count(caller: Caller, choice: ParkedChoice): Promise<number> {
    demandChoice(choice);
    return this.parked.count(caller.tenantId, choice);
  }

  /**
   * Begins a task.
   *
   * @throws {TooMany} `too_many_tasks`
   */
  async begin(caller: Caller, act: ChangeAct, payload: ChangePayload): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    const total = await this.count(caller, payload);
    const task = await once(this.db, caller, async (tx) => {
      await demandRoom(tx, TASKS_CAP, tenantId);
      const kind = `changes.${act}` as const;
      const made = await this.tasks.add(tx, tenantId, { kind, payload, total, createdBy: actor });
      const line = { tenantId, actor, requestId, targetType: 'task', targetId: made.id };
      await this.audit.record(tx, { ...line, action: `changes.${act}_begun`, after: { ...payload, total } });
      return made;
    });
    this.tasks.wake();
    return task;
  }

  private async batch(act: ChangeAct, task: Task<ChangePayload>): Promise<Batch> {
    const { after = '', ...choice } = task.payload;
    const users = await this.parked.after(task.tenantId, choice, after, BATCH);
    const result: Record<string, number> = { [DONE[act]]: 0, left_out: 0, ...task.result };
    for (const user of users) result[(await this.one(task, act, user)) ? DONE[act] : 'left_out']!++;
    const next = users.length < BATCH ? null : { ...task.payload, after: users.at(-1)!.user_id };
    return { done: users.length, next, result };
  }

  /** Returns whether the act was done; else the cause is noted. */
  private async one(task: Task<ChangePayload>, act: ChangeAct, { user_id, sequence }: ParkedUser): Promise<boolean> {
    const by = { tenantId: task.tenantId, actor: task.createdBy, requestId: task.id };
    const id = changeId(sequence);
    try {
      await (act === 'retry' ? this.changes.retry(by, id) : this.changes.dismiss(by, id, task.payload.reason ?? null));
      return true;
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
      const reason = error instanceof Conflict ? error.code : 'not_found';
      const item = { user_id, change_id: id };
      await this.leftOut.add(task.tenantId, task.id, { id: user_id, item, reason, detail: error.message });
      return false;
    }
  }
}

/** Refuses a choice that names nothing, or two things at once. */
function demandChoice({ user_ids, error, directory }: ParkedChoice): void {
  const isFiltered = error !== undefined || directory !== undefined;
  if ((user_ids === undefined) === isFiltered) return;
  const message = 'send either user_ids or a filter (error, directory), and not both';
  throw new InvalidFields([{ field: 'user_ids', message }]);
}
