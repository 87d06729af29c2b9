import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { SeatsRepository } from '../../../seats/seats.repository.js';
import { once, type Repeatable } from '../../../tenancy/idempotency/idempotency-keys.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import type { LiveNeed, RoleSettings, SeatNeed } from '../../directories/directory-people.js';
import type { Directory } from '../../directories/directory.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { noTotals, withEffects, type PlanTotals } from './preview.rules.js';
import { PreviewPlan } from './preview-plan.js';
import { PreviewPlansRepository, type NewPlan } from './preview-plans.repository.js';

export interface CurrentPlan {
  directory: Directory;
  totals: PlanTotals | null;
  madeAt: Date | null;
  stale: boolean;
  taskId: string | null;
}

/** `plan` is missing in the first batch. */
interface PlanPayload {
  directory_id: string;
  plan?: NewPlan;
  after?: string;
  totals?: PlanTotals;
}

const AT_ONCE = 1_000;

/** Makes the plan of going live, and keeps it until the directory goes live or is deleted. */
@Injectable()
export class PreviewPlans {
  constructor(
    private readonly db: Database,
    private readonly directories: DirectoryStore,
    private readonly plan: PreviewPlan,
    private readonly repository: PreviewPlansRepository,
    private readonly seatsRepository: SeatsRepository,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    handlers.add<PlanPayload>(['preview.plan'], { run: (task) => this.step(task) });
  }

  /**
   * Returns the plan of a directory. A missing or stale plan is made at once where the directory has written to few
   * users. A larger stale plan is returned unchanged: a caller who may only read begins no task.
   *
   * @throws {NotFound} when the tenant has no such directory
   */
  async current(tenantId: string, directoryId: string): Promise<CurrentPlan> {
    const directory = await this.directories.fresh(tenantId, directoryId);
    if (directory === null) throw new NotFound('directory');
    const none = { directory, totals: noTotals(), madeAt: null, stale: false, taskId: null };
    if (directory.state === 'live') return none;
    const stored = await this.repository.find(tenantId, directoryId);
    let taskId: string | null = null;
    if (stored?.stale !== false) {
      if ((await this.plan.count(tenantId, directoryId, AT_ONCE + 1)) <= AT_ONCE) {
        const { totals, madeAt } = await this.makeNow(directory);
        return { ...none, totals, madeAt: new Date(madeAt) };
      }
      taskId = (await this.tasks.open(this.db, tenantId, 'preview.plan', directoryId))?.id ?? null;
    }
    if (stored === undefined) return { ...none, totals: null, stale: true, taskId };
    return { directory, totals: stored.totals, madeAt: stored.made_at, stale: stored.stale, taskId };
  }

  /**
   * Begins to make the plan anew. Returns the task that is already doing so, if there is one.
   *
   * @throws {NotFound} when the tenant has no such directory
   * @throws {Conflict} `not_in_preview` when the directory is live
   */
  async begin(caller: Repeatable & { actor: Actor }, directoryId: string): Promise<TaskRow> {
    const { tenantId, actor } = caller;
    if ((await this.directories.fresh(tenantId, directoryId)) === null) throw new NotFound('directory');
    const task = await once(this.db, caller, async (tx) => {
      if (!(await this.repository.lockInPreview(tx, tenantId, directoryId))) {
        throw new Conflict('not_in_preview', 'The directory is live: there is nothing that going live would change.');
      }
      const kind = 'preview.plan';
      const open = await this.tasks.open(tx, tenantId, kind, directoryId);
      if (open !== undefined) return open;
      const payload: PlanPayload = { directory_id: directoryId };
      return this.tasks.add(tx, tenantId, { kind, payload, createdBy: actor, directoryId });
    });
    this.tasks.wake();
    return task;
  }

  /**
   * Counts the seats that going live would take, the free seats, and the administrators who would lose the console.
   *
   * @param settings those that the same request changes
   * @throws {NotFound} when the tenant has no such directory
   */
  async liveNeed(tenantId: string, directoryId: string, settings?: RoleSettings): Promise<LiveNeed> {
    const totals = await this.totalsThen(tenantId, directoryId, settings);
    return { ...(await this.seatsOf(tenantId, totals)), administrators: totals.administrators ?? 0 };
  }

  private async totalsThen(tenantId: string, directoryId: string, settings?: RoleSettings): Promise<PlanTotals> {
    const stored = settings === undefined ? await this.repository.find(tenantId, directoryId) : undefined;
    if (stored?.stale === false) return stored.totals;
    const directory = await this.directories.fresh(tenantId, directoryId);
    if (directory === null) throw new NotFound('directory');
    return this.plan.totals({ ...directory, ...settings });
  }

  async seatsOf(
    tenantId: string,
    { takeSeat: needed, freeSeat }: Pick<PlanTotals, 'takeSeat' | 'freeSeat'>,
  ): Promise<SeatNeed> {
    const { limit, policies } = await this.seatsRepository.limitOf(tenantId);
    if (limit === null || policies.scim === 'allow') return { needed, free: null, missing: 0 };
    // Seats of leavers become available for waiting users.
    const free = Math.max(0, limit - (await this.seatsRepository.used(tenantId)) + freeSeat);
    return { needed, free, missing: Math.max(0, needed - free) };
  }

  private async makeNow(directory: Directory): Promise<NewPlan & { totals: PlanTotals }> {
    const { tenantId, id } = directory;
    const plan = await this.repository.begin(tenantId, id);
    let totals = noTotals();
    for (let after: string | null = ''; after !== null;) {
      const { users, next } = await this.plan.batch(directory, after);
      await this.repository.add(tenantId, id, plan, users);
      totals = withEffects(totals, users);
      after = next;
    }
    await this.repository.publish(tenantId, id, plan, totals);
    return { ...plan, totals };
  }

  private async step({ tenantId, payload }: Task<PlanPayload>): Promise<Batch> {
    const { directory_id: id, after = '' } = payload;
    const plan = payload.plan ?? (await this.repository.begin(tenantId, id));
    const directory = await this.directories.fresh(tenantId, id);
    // The directory went live or was deleted, and its plan with it.
    if (directory?.state !== 'preview') return { done: 0, next: null };
    const { users, next, seen } = await this.plan.batch(directory, after);
    await this.repository.add(tenantId, id, plan, users);
    const totals = withEffects(payload.totals ?? noTotals(), users);
    if (next === null) await this.repository.publish(tenantId, id, plan, totals);
    return { done: seen, next: next === null ? null : { directory_id: id, plan, after: next, totals } };
  }
}
