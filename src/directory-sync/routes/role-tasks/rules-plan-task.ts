import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { Conflict } from '../../../base/errors/domain-error.js';
import { TaskHandlers, TaskFailed, type Batch, type Task } from '../../../engine/work/task.js';
import { LeftOutRepository, TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../../engine/work/tasks.service.js';
import { once, type Repeatable } from '../../../tenancy/idempotency/idempotency-keys.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import type { GroupRule } from '../../directories/groups.dto.js';
import { losesConsole } from '../effect-steps.rules.js';
import { RulesPlan } from './rules-plan.js';
import { NO_TOTALS, noteOf, withUsers, type RulesTotals } from './rules-plan.rules.js';

/** The payload of a `rules.plan`. */
interface Payload {
  directory_id: string;
  rules: readonly GroupRule[];
  /** The user after which the next batch begins. */
  after?: string;
  totals?: RulesTotals;
}

/** The users that a task lists. */
const LISTED = 1_000;

/** Plans rules for a directory of many users, in a task. */
@Injectable()
export class RulesPlanTask {
  constructor(
    private readonly db: Database,
    private readonly directories: DirectoryStore,
    private readonly plan: RulesPlan,
    private readonly tasks: TasksRepository,
    private readonly leftOut: LeftOutRepository,
    handlers: TaskHandlers,
  ) {
    handlers.add<Payload>(['rules.plan'], { run: (task) => this.step(task) });
  }

  /**
   * Begins to plan rules.
   *
   * @param total the users of the directory
   * @throws {TooMany} `too_many_tasks`
   * @throws {Conflict} `plan_under_way` while another plan of the tenant waits or runs
   */
  async begin(
    caller: Repeatable & { actor: Actor },
    directoryId: string,
    rules: readonly GroupRule[],
    total: number,
  ): Promise<TaskRow> {
    const { tenantId, actor: createdBy } = caller;
    const payload: Payload = { directory_id: directoryId, rules };
    const task = await once(this.db, caller, async (tx) => {
      await demandRoom(tx, TASKS_CAP, tenantId);
      const other = await this.tasks.open(tx, tenantId, 'rules.plan');
      if (other !== undefined) {
        throw new Conflict(
          'plan_under_way',
          `The task ${other.id} plans rules of this tenant. Wait for it, or cancel it.`,
        );
      }
      return this.tasks.add(tx, tenantId, { kind: 'rules.plan', payload, total, createdBy, directoryId });
    });
    this.tasks.wake();
    return task;
  }

  private async step({ tenantId, id, payload }: Task<Payload>): Promise<Batch> {
    const directory = await this.directories.fresh(tenantId, payload.directory_id);
    if (directory === null) throw new TaskFailed('The directory was deleted meanwhile.');
    const { after = '', totals: before = NO_TOTALS } = payload;
    const { users, seen, next } = await this.plan.batch(directory, payload.rules, after);
    // Administrators who lose the console are listed however many users come before them.
    const room = Math.max(0, LISTED - before.total);
    for (const user of users.filter(({ steps }, place) => place < room || losesConsole(steps))) {
      await this.leftOut.add(tenantId, id, noteOf(user));
    }
    const totals = withUsers(before, users);
    const { total: changed, take_seat, free_seat, administrators = 0 } = totals;
    const result = { changed, take_seat, free_seat, administrators };
    if (next !== null) return { done: seen, next: { ...payload, after: next, totals }, result };
    const { seats_free, held_by_guard } = await this.plan.consequences(directory, totals);
    return {
      done: seen,
      next: null,
      result: { ...result, held_by_guard, ...(seats_free === null ? {} : { seats_free }) },
    };
  }
}
