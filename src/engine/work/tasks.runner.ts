import { Injectable, Optional } from '@nestjs/common';
import { Activity } from '../../base/activity.js';
import { Database } from '../../base/database/database.js';
import { ForeignPlaces } from '../../base/foreign-places.js';
import { Logger } from '../../base/log/logger.js';
import { Loop } from '../../base/loop.js';
import { TaskClaims, type ClaimedTask } from './task-claims.repository.js';
import { TaskHandlers } from './task-handlers.js';
import { TaskFailed } from './task.js';

const POLL_MS = 1_000;
const QUIET_MS = 2_000;
/** The number of tasks without calls to other systems that are worked on at once, each of another tenant. */
const LOCAL = 4;

/**
 * Works off the tasks of all tenants. After each batch a task goes back to the end of the row, so that one tenant's large
 * task or hanging platform delays no other tenant. Any process may continue a task that another one left.
 *
 * Modes: *stopped* (before `start`, after `stop`: no claims); *polling* (claims until no task is due, then waits for the
 * next second or for {@link TasksRepository.wake}).
 */
@Injectable()
export class TasksRunner {
  private readonly loop: Loop;
  private unlisten: (() => void) | undefined;
  private readonly local = new Set<Promise<void>>();
  private readonly calling = new Set<Promise<void>>();

  constructor(
    private readonly claims: TaskClaims,
    private readonly handlers: TaskHandlers,
    private readonly logger: Logger,
    @Optional() private readonly activity: Activity = new Activity(),
    @Optional() private readonly db?: Database,
    @Optional() private readonly places: ForeignPlaces = new ForeignPlaces(),
  ) {
    this.loop = new Loop(
      POLL_MS,
      () => this.fillSlots(),
      (error) => logger.error('tasks.poll_failed', { error }),
      { everyMs: QUIET_MS, activity },
    );
  }

  start(): void {
    this.loop.start();
    this.unlisten = this.db?.feed.wakeups.on('tasks', () => {
      this.activity.stir();
      this.loop.wake();
    });
  }

  /** Claims no more tasks, and waits for the batches that are under way. */
  async stop(): Promise<void> {
    this.unlisten?.();
    this.unlisten = undefined;
    await this.loop.stop();
    await Promise.all([...this.local, ...this.calling]);
  }

  /** Does everything that is due, one batch after the other. */
  async drain(): Promise<void> {
    for (let task = await this.next(); task !== null; task = await this.next()) await this.work(task);
  }

  private async next(): Promise<ClaimedTask | null> {
    const { calling, local } = this.handlers.queues;
    return (await this.claims.claim(local)) ?? (await this.claims.claim(calling));
  }

  private async fillSlots(): Promise<void> {
    const { calling, local } = this.handlers.queues;
    while (this.local.size < LOCAL) {
      const task = await this.claims.claim(local);
      if (task === null) break;
      this.begin(this.local, task, () => undefined);
    }
    while (true) {
      const claimed = await this.places.claim(null, null, () => this.claims.claim(calling));
      if (claimed === null) break;
      this.begin(this.calling, claimed.work, claimed.leave);
    }
  }

  private begin(working: Set<Promise<void>>, task: ClaimedTask, leave: () => void): void {
    const work = this.work(task).finally(() => {
      working.delete(work);
      leave();
      this.loop.wake();
    });
    working.add(work);
  }

  /** Does one batch. Never throws: a task whose state cannot even be noted is left to its lease. */
  private async work(task: ClaimedTask): Promise<void> {
    const about = { tenant_id: task.tenantId, task_id: task.id, kind: task.kind };
    try {
      const batch = await this.handlers.of(task.kind).run(task);
      await this.claims.progress(task, batch);
      if (batch.next === null) this.logger.info('task.done', about);
    } catch (error) {
      this.logger.error('task.interrupted', { ...about, error });
      // A cause outside the service ends the task with a message; others (the database) are tried again.
      const noted: Promise<unknown> =
        error instanceof TaskFailed ? this.claims.fail(task, error.message) : this.claims.postpone(task, error);
      await noted.catch((failure: unknown) => this.logger.error('task.unnoted', { ...about, error: failure }));
    }
  }
}
