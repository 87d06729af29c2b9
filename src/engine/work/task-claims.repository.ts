import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { Actor } from '../../tenancy/identity/source.js';
import { MOST_FAILURES, pauseAfter } from './task-pace.rules.js';
import { TaskInterrupted, type Batch, type Task, type TaskKind } from './task.js';

/** Longer than any batch takes. */
const LEASE_SECONDS = 120;
/** The first key of the advisory locks under which tasks of one tenant are claimed. */
const CLAIMS = 7_301;
/** The longest pause that another server can ask for. */
const MOST_PAUSE_SECONDS = 3_600;
/** The most due tasks that are read for one whose tenant has its turn. */
const LOOKED_AT = 20;

/** A task in the hands of a runner until its lease ends. */
export interface ClaimedTask extends Task {
  /** Failures in a row before this claim. */
  failures: number;
}

interface ClaimedRow {
  tenant_id: string;
  id: string;
  kind: TaskKind;
  payload: Record<string, unknown>;
  done: number;
  result: Record<string, number> | null;
  failures: number;
  created_by: Actor;
}

/** The statements by which runners take tasks in turns and note how far they are. */
@Injectable()
export class TaskClaims {
  constructor(private readonly db: Database) {}

  /**
   * Leases the task that has waited the longest since it was made or last worked on, of a tenant with no running task of
   * the same queue. So a large task, or one that fails again and again, is only one among others.
   *
   * @param queue the kinds that take turns with each other
   */
  async claim(queue: readonly TaskKind[]): Promise<ClaimedTask | null> {
    const { rows } = await this.db.query<{ tenant_id: string; id: string }>(
      `select d.tenant_id, d.id from tasks d
       where d.state in ('waiting', 'running') and d.kind = any($1::text[])
         and (d.lease_until is null or d.lease_until <= now())
         and not exists (select 1 from tasks o where o.tenant_id = d.tenant_id and o.state = 'running'
                         and o.kind = any($1::text[]) and o.lease_until > now())
       order by coalesce(d.lease_until, d.created_at), d.created_at limit ${LOOKED_AT}`,
      [queue],
    );
    for (const { tenant_id: tenantId, id } of rows) {
      const task = await this.db.transaction(tenantId, (tx) => claimOf(tx, tenantId, id, queue));
      if (task !== null) return task;
    }
    return null;
  }

  /**
   * Notes how far a task is, and gives it back for the next round. Nothing is noted for a batch that took longer than its
   * lease when another process has continued meanwhile, nor for a task that was cancelled.
   *
   * The total was counted earlier than the items were done, and items come and go in between: a total that is smaller than
   * what is done grows with it, and a task that is done has as many items as it has done.
   */
  async progress(task: ClaimedTask, batch: Batch): Promise<void> {
    const isOver = batch.next === null;
    await this.db.query(
      `update tasks set payload = coalesce($3::jsonb, payload), failures = 0, done = done + $4,
         total = case when $9 then done + $4 when coalesce($5, total) < done + $4 then done + $4 else coalesce($5, total) end,
         result = coalesce($7::jsonb, result), state = $8,
         finished_at = case when $9 then now() end, lease_until = case when $9 then null else now() end
       where tenant_id = $1 and id = $2 and state = 'running' and done = $6`,
      [
        task.tenantId,
        task.id,
        isOver ? null : JSON.stringify(batch.next),
        batch.done,
        batch.total ?? null,
        task.done,
        batch.result === undefined ? null : JSON.stringify(batch.result),
        isOver ? 'done' : 'waiting',
        isOver,
      ],
    );
  }

  /**
   * Lets a task rest after a failure, longer after each one in a row; after `MOST_FAILURES` in a row it has failed.
   *
   * @returns false when the task is given up
   */
  async postpone(task: ClaimedTask, error: unknown): Promise<boolean> {
    const failures = task.failures + 1;
    const pause = pauseAfter(failures);
    if (pause === null) {
      await this.fail(task, `Given up after ${MOST_FAILURES} failures in a row. The last one: ${reasonOf(error)}`);
      return false;
    }
    const asked = error instanceof TaskInterrupted ? Math.ceil((error.retryAfterMs ?? 0) / 1_000) : 0;
    const seconds = Math.max(pause, Math.min(asked, MOST_PAUSE_SECONDS));
    await this.db.query(
      `update tasks set state = 'waiting', lease_until = now() + $3 * interval '1 second', failures = $4
       where tenant_id = $1 and id = $2 and state = 'running' and done = $5`,
      [task.tenantId, task.id, seconds, failures, task.done],
    );
    return true;
  }

  /** Ends a task that cannot continue. */
  async fail(task: ClaimedTask, error: string): Promise<void> {
    await this.db.query(
      `update tasks set state = 'failed', error = $3, finished_at = now(), lease_until = null
       where tenant_id = $1 and id = $2 and state = 'running' and done = $4`,
      [task.tenantId, task.id, error, task.done],
    );
  }
}

/** The lock keeps two runners from claiming two tasks of one tenant; the rest of the condition was looked up without it. */
async function claimOf(
  tx: SqlRunner,
  tenantId: string,
  id: string,
  queue: readonly TaskKind[],
): Promise<ClaimedTask | null> {
  await tx.query(`select pg_advisory_xact_lock($2, hashtext($1))`, [tenantId, CLAIMS]);
  const { rows } = await tx.query<ClaimedRow>(
    `update tasks t set state = 'running', lease_until = clock_timestamp() + $4 * interval '1 second',
       started_at = coalesce(t.started_at, clock_timestamp())
     where t.tenant_id = $1 and t.id = $2 and t.state in ('waiting', 'running')
       and (t.lease_until is null or t.lease_until <= clock_timestamp())
       and not exists (select 1 from tasks o where o.tenant_id = $1 and o.state = 'running'
                       and o.kind = any($3::text[]) and o.lease_until > clock_timestamp())
     returning t.tenant_id, t.id, t.kind, t.payload, t.done, t.result, t.failures, t.created_by`,
    [tenantId, id, queue, LEASE_SECONDS],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { tenant_id: _, created_by: createdBy, ...task } = row;
  return { ...task, tenantId, createdBy };
}

/** A failure in words that a tenant may read; what the database says stays in the log. */
function reasonOf(error: unknown): string {
  return error instanceof TaskInterrupted
    ? error.message
    : 'an error inside the service, which its log describes under task.interrupted';
}
