import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { Actor } from '../../tenancy/identity/person.js';
import { MOST_FAILURES, pauseAfter } from './task-pace.rules.js';
import { TaskInterrupted, type Batch, type Task, type TaskKind } from './task.js';

/** The longest pause that another server can ask for. */
const MOST_PAUSE_SECONDS = 3_600;
/** `lease_until`: the task is left alone until then. */
const OPEN = `state in ('waiting', 'running') and (lease_until is null or lease_until <= now())`;

/** A task in the hands of a worker. */
export interface ClaimedTask extends Task {
  /** Failures in a row before this claim. */
  failures: number;
}

interface ClaimedRow {
  id: string;
  kind: TaskKind;
  payload: Record<string, unknown>;
  done: number;
  result: Record<string, number> | null;
  failures: number;
  created_by: Actor;
}

/** The statements by which tasks are taken, and by which it is noted how far they are. */
@Injectable()
export class TaskClaims {
  /** Returns the tenants that have tasks of a queue, as SQL. */
  due(queue: readonly TaskKind[]): string {
    const kinds = queue.map((kind) => `'${kind}'`).join(', ');
    return `select tenant_id, '' collate "C" as id, min(coalesce(lease_until, created_at)) as since, null::text as server
      from tasks where ${OPEN} and kind in (${kinds || 'null'}) group by tenant_id`;
  }

  /** Takes the task of a tenant that has waited the longest since it was made or last worked on; null: none is due. */
  async next(tx: SqlRunner, tenantId: string, queue: readonly TaskKind[]): Promise<ClaimedTask | null> {
    const { rows } = await tx.query<ClaimedRow>(
      `update tasks set state = 'running', started_at = coalesce(started_at, clock_timestamp())
       where tenant_id = $1 and id = (
         select id from tasks where tenant_id = $1 and ${OPEN} and kind = any($2::text[])
         order by coalesce(lease_until, created_at), created_at limit 1)
         and ${OPEN}
       returning id, kind, payload, done, result, failures, created_by`,
      [tenantId, queue],
    );
    const [row] = rows;
    if (row === undefined) return null;
    const { created_by: createdBy, ...task } = row;
    return { ...task, tenantId, createdBy };
  }

  /**
   * Notes how far a task is, and gives it back for the next round. Nothing is noted for a task that was cancelled.
   *
   * The total was counted earlier than the items were done, and items come and go in between: a total that is smaller than
   * what is done grows with it, and a task that is done has as many items as it has done.
   */
  async progress(tx: SqlRunner, task: ClaimedTask, batch: Batch): Promise<void> {
    const isOver = batch.next === null;
    await tx.query(
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
  async postpone(tx: SqlRunner, task: ClaimedTask, error: unknown): Promise<boolean> {
    const failures = task.failures + 1;
    const pause = pauseAfter(failures);
    if (pause === null) {
      await this.fail(tx, task, `Given up after ${MOST_FAILURES} failures in a row. The last one: ${reasonOf(error)}`);
      return false;
    }
    const asked = error instanceof TaskInterrupted ? Math.ceil((error.retryAfterMs ?? 0) / 1_000) : 0;
    const seconds = Math.max(pause, Math.min(asked, MOST_PAUSE_SECONDS));
    await tx.query(
      `update tasks set state = 'waiting', lease_until = now() + $3 * interval '1 second', failures = $4
       where tenant_id = $1 and id = $2 and state = 'running' and done = $5`,
      [task.tenantId, task.id, seconds, failures, task.done],
    );
    return true;
  }

  /** Ends a task that cannot continue. */
  async fail(tx: SqlRunner, task: ClaimedTask, error: string): Promise<void> {
    await tx.query(
      `update tasks set state = 'failed', error = $3, finished_at = now(), lease_until = null
       where tenant_id = $1 and id = $2 and state = 'running' and done = $4`,
      [task.tenantId, task.id, error, task.done],
    );
  }
}

/** A failure in words that a tenant may read; what the database says stays in the log. */
function reasonOf(error: unknown): string {
  return error instanceof TaskInterrupted
    ? error.message
    : 'an error inside the service, which its log describes under task.interrupted';
}
