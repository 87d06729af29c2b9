import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { again, DONE, LeaseLost, WorkKind, type TurnOutcome, type Turn } from '../../base/work/work.js';
import { TaskHandlers, TaskFailed, type TaskKind } from './task.js';
import { TasksRepository, type ClaimedTask } from './tasks.repository.js';

/** Each turn is one batch of the task that has waited the longest: a large or failing task is only one among others. */
@Injectable()
abstract class TaskWork extends WorkKind {
  override readonly everyMs = 0;

  constructor(
    private readonly db: Database,
    private readonly tasks: TasksRepository,
    protected readonly handlers: TaskHandlers,
    private readonly logger: Logger,
  ) {
    super();
  }

  protected abstract get queue(): readonly TaskKind[];

  override due(): string {
    return this.tasks.dueTasks(this.queue);
  }

  override async run(turn: Turn): Promise<TurnOutcome> {
    const { tenantId } = turn;
    const task = await this.db.transaction(tenantId, async (tx) => {
      await turn.hold(tx);
      return this.tasks.nextDue(tx, tenantId, this.queue);
    });
    if (task === null) return DONE;
    await this.batch(turn, task);
    return again();
  }

  private async batch(turn: Turn, task: ClaimedTask): Promise<void> {
    const about = { tenant_id: task.tenantId, task_id: task.id, kind: task.kind };
    try {
      const batch = await this.handlers.of(task.kind).run(task);
      await this.db.transaction(task.tenantId, async (tx) => {
        await turn.hold(tx);
        await this.tasks.progress(tx, task, batch);
      });
      if (batch.next === null) this.logger.info('task.done', about);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.logger.error('task.interrupted', { ...about, error });
      // A cause outside the service ends the task with a message; after others (the database) the batch is tried again.
      await this.db.transaction(task.tenantId, async (tx) => {
        await turn.hold(tx);
        if (error instanceof TaskFailed) await this.tasks.fail(tx, task, error.message);
        else await this.tasks.postpone(tx, task, error);
      });
    }
  }
}

@Injectable()
export class LocalTasks extends TaskWork {
  override readonly kind = 'tasks';

  protected override get queue(): readonly TaskKind[] {
    return this.handlers.queues.local;
  }
}

/** Tasks that call other systems, or rest. */
@Injectable()
export class CallingTasks extends TaskWork {
  override readonly kind = 'tasks.calling';
  override readonly callsOut = true;

  protected override get queue(): readonly TaskKind[] {
    return this.handlers.queues.calling;
  }
}
