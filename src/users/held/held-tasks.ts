import { postponeTask } from '../../tasks/task-failures.js';
import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Conflict, InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import type { HeldReason } from '../../identity/person.js';
import type { Actor } from '../../identity/source.js';
import { LeftOutRepository } from '../../tasks/left-out.repository.js';
import type { TaskRow } from '../../tasks/tasks.repository.js';
import { AuditService } from '../../tenants/audit/audit.service.js';
import type { Caller } from '../../tenants/caller.js';
import { CAPS, demandRoom } from '../../tenants/caps.js';
import { HELD_REASONS } from './held.dto.js';
import { HeldService, RELEASABLE } from './held.service.js';

/** What happens to the held users of a task. */
export type HeldAct = 'release' | 'discard';

/** Which held users a task is about: those of a list, or all that match. */
export interface HeldChoice {
  user_ids?: string[];
  reason?: HeldReason;
  directory?: string;
}

interface Job {
  tenant_id: string;
  id: string;
  kind: `held.${HeldAct}`;
  payload: HeldChoice & { after?: string };
  done: number;
  result: Record<string, number> | null;
  created_by: Actor;
}

const BATCH = 100;
/** The name under which a task counts the users for whom it was done. */
const DONE = { release: 'released', discard: 'discarded' } as const satisfies Record<HeldAct, string>;

/** Releases or discards many held users, in small steps that each leave their progress behind. */
@Injectable()
export class HeldTasks extends Background {
  constructor(
    private readonly db: Database,
    private readonly held: HeldService,
    private readonly leftOut: LeftOutRepository,
    private readonly audit: AuditService,
    private readonly logger: Logger,
  ) {
    super(1000, 'a task of held users', logger);
  }

  /** Counts the held users that a task would be about. */
  async count(caller: Caller, act: HeldAct, choice: HeldChoice): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(
      `select count(*)::int as n from users u where ${MATCHES}`,
      matching(caller.tenantId, act, choice),
    );
    return rows[0]!.n;
  }

  /**
   * Begins a task.
   *
   * @throws {TooMany} `too_many_jobs`
   */
  async begin(caller: Caller, act: HeldAct, choice: HeldChoice): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    const total = await this.count(caller, act, choice);
    const task = await this.db.transaction(tenantId, async (tx) => {
      await demandRoom(tx, CAPS.jobs, tenantId);
      const made = await add(tx, caller, act, choice, total);
      const line = { tenantId, actor, requestId, targetType: 'task', targetId: made.id };
      await this.audit.record(tx, { ...line, action: `held.${act}_begun`, after: { ...choice, total } });
      return made;
    });
    this.wake();
    return task;
  }

  /** One batch of one task; true if there may be more. */
  override async run(): Promise<boolean> {
    const job = await this.claim();
    if (!job) return false;
    try {
      await this.step(job);
    } catch (error) {
      this.logger.error('job.interrupted', { tenant_id: job.tenant_id, job_id: job.id, kind: job.kind, error });
      await postponeTask(this.db, { ...job, tenantId: job.tenant_id }, error);
    }
    return true;
  }

  private async step(job: Job): Promise<void> {
    const act: HeldAct = job.kind === 'held.release' ? 'release' : 'discard';
    const params = matching(job.tenant_id, act, job.payload);
    const { rows } = await this.db.query<{ id: string }>(
      `select u.id from users u where ${MATCHES} and u.id > $5 order by (u.id || '') limit ${BATCH}`,
      [job.tenant_id, ...params.slice(1), job.payload.after ?? ''],
    );
    const counts: Record<string, number> = { [DONE[act]]: 0, left_out: 0, ...job.result };
    for (const { id } of rows) counts[(await this.one(job, act, id)) ? DONE[act] : 'left_out']!++;
    const last = rows.length < BATCH;
    await this.db.query(
      `update jobs set done = done + $3, payload = (payload - 'failures') || $4::jsonb, lease_until = now(), result = $7::jsonb,
         state = case when $5 then 'done' else 'waiting' end, finished_at = case when $5 then now() end
       where tenant_id = $1 and id = $2 and done = $6`,
      [
        job.tenant_id,
        job.id,
        rows.length,
        JSON.stringify({ after: rows.at(-1)?.id ?? job.payload.after ?? '' }),
        last,
        job.done,
        JSON.stringify(counts),
      ],
    );
  }

  /** Whether it was done; else it is noted why not. */
  private async one(job: Job, act: HeldAct, userId: string): Promise<boolean> {
    try {
      await this.held[act]({ tenantId: job.tenant_id, actor: job.created_by, requestId: job.id }, userId);
      return true;
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
      const reason = error instanceof Conflict ? error.code : 'not_held';
      const item = { user_id: userId };
      await this.leftOut.add(job.tenant_id, job.id, { id: userId, item, reason, detail: error.message });
      return false;
    }
  }

  private async claim(): Promise<Job | undefined> {
    const { rows } = await this.db.query<Job>(
      `update jobs j set state = 'running', lease_until = now() + interval '60 seconds'
       from (select tenant_id, id from jobs where state in ('waiting', 'running')
             and kind in ('held.release', 'held.discard') and (lease_until is null or lease_until <= now())
             order by coalesce(lease_until, created_at), created_at limit 1 for update skip locked) due
       where j.tenant_id = due.tenant_id and j.id = due.id
       returning j.tenant_id, j.id, j.kind, j.payload, j.done, j.result, j.created_by`,
    );
    return rows[0];
  }
}

// `users_held` finds the held users of a tenant.
const MATCHES = `u.tenant_id = $1 and u.held is not null and u.held = any($2::text[])
  and ($3::text is null or u.directory_id = $3) and ($4::text[] is null or u.id = any($4))`;

/** The parameters of {@link MATCHES}. A release without a reason is about those that can be released. */
function matching(tenantId: string, act: HeldAct, { reason, directory, user_ids: ids }: HeldChoice): unknown[] {
  const all = act === 'release' && ids === undefined ? [...RELEASABLE] : [...HELD_REASONS];
  return [tenantId, reason === undefined ? all : [reason], directory ?? null, ids ?? null];
}

/** Refuses a choice that names nothing, or two things at once. */
export function demandChoice(act: HeldAct, { user_ids: ids, reason, directory }: HeldChoice): void {
  const filters = [reason, directory].filter((filter) => filter !== undefined);
  if ((ids === undefined) === (filters.length === 0)) {
    const message = 'send either user_ids or a filter (reason, directory), and not both';
    throw new InvalidFields([{ field: 'user_ids', message }]);
  }
  if (act === 'release' && reason !== undefined && !RELEASABLE.has(reason)) {
    const message = `cannot be released; only these can: ${[...RELEASABLE].sort().join(', ')}`;
    throw new InvalidFields([{ field: 'reason', message }]);
  }
}

async function add(tx: SqlRunner, caller: Caller, act: HeldAct, choice: HeldChoice, total: number): Promise<TaskRow> {
  const { rows } = await tx.query<TaskRow>(
    `insert into jobs (tenant_id, id, kind, payload, total, created_by) values ($1, $2, $3, $4::jsonb, $5, $6::jsonb)
     returning id, kind, state, done, total, result, error, created_at, finished_at`,
    [caller.tenantId, newId('job'), `held.${act}`, JSON.stringify(choice), total, JSON.stringify(caller.actor)],
  );
  return rows[0]!;
}
