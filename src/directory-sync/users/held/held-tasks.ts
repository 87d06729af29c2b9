import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { Conflict, InvalidFields, NotFound } from '../../../base/errors/domain-error.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import { newTaskBody, type TaskBody } from '../../../engine/work/tasks.dto.js';
import { TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../../engine/work/tasks.service.js';
import { once, type Repeatable } from '../../../tenancy/idempotency/idempotency-keys.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import { consoleRight, demandAdministrators } from '../../../tenancy/tenants/administrators.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { HELD_REASONS, type HeldCount, type HeldSelection } from './held.dto.js';
import { HeldService, RELEASABLE } from './held.service.js';

export type HeldAct = 'release' | 'discard';

export interface HeldChoice {
  user_ids?: string[];
  all?: boolean;
  reason?: HeldReason;
  directory?: string;
}

type HeldPayload = HeldChoice & { after?: string };

const BATCH = 100;
const DONE = { release: 'released', discard: 'discarded' } as const satisfies Record<HeldAct, string>;

// `users_held` finds the held users of a tenant.
const MATCHES = `u.tenant_id = $1 and u.held is not null and u.held = any($2::text[])
  and ($3::text is null or u.directory_id = $3 or u.kept_for = $3) and ($4::text[] is null or u.id = any($4))`;

/** Returns the parameters of {@link MATCHES}. A release without a reason is about those that can be released. */
function matching(tenantId: string, act: HeldAct, { reason, directory, user_ids: ids }: HeldChoice): unknown[] {
  const all = act === 'release' && ids === undefined ? [...RELEASABLE] : [...HELD_REASONS];
  return [tenantId, reason === undefined ? all : [reason], directory ?? null, ids ?? null];
}

/** Returns the named users of one directory: those who are not held are left out with that reason. */
function listOf({ user_ids: ids, directory }: HeldChoice): string[] | undefined {
  return directory === undefined ? undefined : ids;
}

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

/**
 * Answers a request about a number of users: a dry run with the number, else with the task that it begins.
 *
 * @param found the number, with that of the administrators where the act can end their right
 * @throws {Conflict} `count_changed` or `administrators_unconfirmed` when the request names another number
 */
export async function countedAnswer(
  { repeat }: Repeatable,
  { dry_run, count: expected, administrators }: Pick<HeldSelection, 'dry_run' | 'count' | 'administrators'>,
  found: HeldCount,
  res: BridgeResponse,
  begin: () => Promise<TaskRow>,
): Promise<TaskBody | HeldCount> {
  const { count, administrators: among = 0 } = found;
  if (expected !== undefined && expected !== count && repeat?.committed === undefined) {
    throw new Conflict('count_changed', `The number is ${count} by now. Nothing was done; look again.`, {
      members: { count },
    });
  }
  if (dry_run !== true) {
    if (repeat?.committed === undefined) {
      demandAdministrators(among, administrators, 'may lose the console by this');
    }
    return newTaskBody(await begin());
  }
  res.status(200);
  return among === 0 ? { count } : { count, administrators: among };
}

/** Releases and discards held users, in tasks of small steps. */
@Injectable()
export class HeldTasks {
  constructor(
    private readonly db: Database,
    private readonly held: HeldService,
    private readonly tasks: TasksRepository,
    private readonly audit: AuditService,
    handlers: TaskHandlers,
  ) {
    for (const act of ['release', 'discard'] as const) {
      handlers.add<HeldPayload>([`held.${act}`], { run: (task) => this.batch(act, task) });
    }
  }

  async count(caller: Caller, act: HeldAct, choice: HeldChoice): Promise<HeldCount> {
    const { rows } = await this.db.query<Required<HeldCount>>(
      `select count(*)::int as count, (count(*) filter (where u.status = 'active'
         and ${consoleRight('$1::text', 'u.id', 'u.role')} <> 'none'))::int as administrators from users u where ${MATCHES}`,
      matching(caller.tenantId, act, choice),
    );
    const { count, administrators } = rows[0]!;
    // A discard takes no right from administrators.
    return act === 'discard' ? { count } : { count, administrators };
  }

  /** @throws {TooMany} `too_many_tasks` */
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

  /** Returns whether the act was done, else stores the cause. */
  private async one(task: Task<HeldPayload>, act: HeldAct, userId: string): Promise<boolean> {
    try {
      const by = { tenantId: task.tenantId, actor: task.createdBy, requestId: task.id };
      const row = await this.held[act](by, userId);
      // A user who is still held was not changed: after a discard no reason would hold the user.
      if (act === 'release' || row === null || row.held === null || row.held === 'no_email') return true;
      await this.omit(task, userId, 'still_held', `The user is held as ${row.held} still.`);
      return false;
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
      await this.omit(task, userId, error instanceof Conflict ? error.code : 'not_held', error.message);
      return false;
    }
  }

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
    return this.tasks.addLeftOut(task.tenantId, task.id, { id: userId, item: { user_id: userId }, reason, detail });
  }
}
