import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { Conflict, InvalidFields, NotFound } from '../../../base/errors/domain-error.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import { LeftOutRepository, TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../../engine/work/tasks.service.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import { consoleRight } from '../../../tenancy/tenants/administrators.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { HELD_REASONS, type HeldCount } from './held.dto.js';
import { HeldService, RELEASABLE } from './held.service.js';

/** What happens to the held users of a task. */
export type HeldAct = 'release' | 'discard';

/** Which held users a task is about: those of a list, all that match, or all. */
export interface HeldChoice {
  user_ids?: string[];
  all?: boolean;
  reason?: HeldReason;
  directory?: string;
}

/** `after`: the user after which the next batch begins. */
type HeldPayload = HeldChoice & { after?: string };

const BATCH = 100;
/** The name under which a task counts the users for whom it was done. */
const DONE = { release: 'released', discard: 'discarded' } as const satisfies Record<HeldAct, string>;

/** Releases or discards many held users, in small steps that each leave their progress behind. */
@Injectable()
export class HeldTasks {
  constructor(
    private readonly db: Database,
    private readonly held: HeldService,
    private readonly leftOut: LeftOutRepository,
    private readonly audit: AuditService,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    for (const act of ['release', 'discard'] as const) {
      handlers.add<HeldPayload>([`held.${act}`], { run: (task) => this.batch(act, task) });
    }
  }

  /** Counts the held users that a task would be about, and those of them who administer the tenant now. */
  async count(caller: Caller, act: HeldAct, choice: HeldChoice): Promise<HeldCount> {
    const { rows } = await this.db.query<Required<HeldCount>>(
      `select count(*)::int as count, (count(*) filter (where u.status = 'active'
         and ${consoleRight('$1::text', 'u.id', 'u.role')} <> 'none'))::int as administrators from users u where ${MATCHES}`,
      matching(caller.tenantId, act, choice),
    );
    const { count, administrators } = rows[0]!;
    // A discard takes nothing from administrators.
    return act === 'discard' ? { count } : { count, administrators };
  }

  /**
   * Begins a task.
   *
   * @throws {TooMany} `too_many_tasks`
   */
  async begin(caller: Caller, act: HeldAct, choice: HeldChoice): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    const total = listOf(choice)?.length ?? (await this.count(caller, act, choice)).count;
    const task = await once(this.db, caller, async (tx) => {
      await demandRoom(tx, TASKS_CAP, tenantId);
      const task = { kind: `held.${act}` as const, payload: choice, total, createdBy: actor };
      const made = await this.tasks.add(tx, tenantId, task);
      const line = { tenantId, actor, requestId, targetType: 'task', targetId: made.id };
      await this.audit.record(tx, { ...line, action: `held.${act}_begun`, after: { ...choice, total } });
      return made;
    });
    this.tasks.wake();
    return task;
  }

  private async batch(act: HeldAct, task: Task<HeldPayload>): Promise<Batch> {
    const params = matching(task.tenantId, act, task.payload);
    const { rows } = await this.db.query<{ id: string }>(
      `select u.id from users u where ${MATCHES} and u.id > $5 order by (u.id || '') limit ${BATCH}`,
      [task.tenantId, ...params.slice(1), task.payload.after ?? ''],
    );
    const result: Record<string, number> = { [DONE[act]]: 0, left_out: 0, ...task.result };
    const others = task.payload.after === undefined ? await this.notHeld(act, task) : [];
    for (const id of others) await this.omit(task, id, 'not_held', 'The user is not held, or for another reason.');
    result['left_out']! += others.length;
    for (const { id } of rows) result[(await this.one(task, act, id)) ? DONE[act] : 'left_out']!++;
    const next = rows.length < BATCH ? null : { ...task.payload, after: rows.at(-1)!.id };
    return { done: rows.length + others.length, next, result };
  }

  /** Returns whether the act was done; else the cause is noted. */
  private async one(task: Task<HeldPayload>, act: HeldAct, userId: string): Promise<boolean> {
    try {
      const by = { tenantId: task.tenantId, actor: task.createdBy, requestId: task.id };
      const row = await this.held[act](by, userId);
      // A user who is held still was not changed: a discard leaves nothing that would hold it.
      if (act === 'release' || row === null || row.held === null || row.held === 'no_email') return true;
      await this.omit(task, userId, 'still_held', `The user is held as ${row.held} still.`);
      return false;
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
      await this.omit(task, userId, error instanceof Conflict ? error.code : 'not_held', error.message);
      return false;
    }
  }

  /** The users of the list whom the task is not about. */
  private async notHeld(act: HeldAct, { tenantId, payload }: Task<HeldPayload>): Promise<string[]> {
    const ids = listOf(payload);
    if (ids === undefined) return [];
    const { rows } = await this.db.query<{ id: string }>(
      `select u.id from users u where ${MATCHES}`,
      matching(tenantId, act, payload),
    );
    const held = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !held.has(id));
  }

  private omit(task: Task<HeldPayload>, userId: string, reason: string, detail: string): Promise<void> {
    return this.leftOut.add(task.tenantId, task.id, { id: userId, item: { user_id: userId }, reason, detail });
  }
}

// `users_held` finds the held users of a tenant.
const MATCHES = `u.tenant_id = $1 and u.held is not null and u.held = any($2::text[])
  and ($3::text is null or u.directory_id = $3 or u.kept_for = $3) and ($4::text[] is null or u.id = any($4))`;

/** The parameters of {@link MATCHES}. A release without a reason is about those that can be released. */
function matching(tenantId: string, act: HeldAct, { reason, directory, user_ids: ids }: HeldChoice): unknown[] {
  const all = act === 'release' && ids === undefined ? [...RELEASABLE] : [...HELD_REASONS];
  return [tenantId, reason === undefined ? all : [reason], directory ?? null, ids ?? null];
}

/** The users that were named of one directory: who of them is not held is left out with that reason. */
function listOf({ user_ids: ids, directory }: HeldChoice): string[] | undefined {
  return directory === undefined ? undefined : ids;
}

/** Refuses a choice that names nothing, or two things at once. */
export function demandChoice(act: HeldAct, { user_ids: ids, all, reason, directory }: HeldChoice): void {
  const ways = [ids !== undefined, reason !== undefined || directory !== undefined, all === true];
  if (ways.filter(Boolean).length !== 1) {
    const message = 'send one of user_ids, a filter (reason, directory) and all';
    throw new InvalidFields([{ field: 'user_ids', message }]);
  }
  if (act === 'release' && reason !== undefined && !RELEASABLE.has(reason)) {
    const message = `cannot be released; only these can: ${[...RELEASABLE].sort().join(', ')}`;
    throw new InvalidFields([{ field: 'reason', message }]);
  }
}
