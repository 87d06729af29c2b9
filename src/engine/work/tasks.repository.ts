import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import type { Actor } from '../../tenancy/identity/person.js';
import {
  type TaskKind,
  type TaskState,
  MOST_FAILURES,
  pauseAfter,
  TaskInterrupted,
  type Batch,
  type Task,
} from './task.js';

/** A task in the database, without its payload. */
export interface TaskRow {
  id: string;
  kind: TaskKind;
  state: TaskState;
  done: number;
  total: number | null;
  /** By name; null before the first result. */
  result: Record<string, number> | null;
  error: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

interface NewTask {
  kind: TaskKind;
  payload: object;
  total?: number | null;
  createdBy: Actor;
  directoryId?: string;
  /** For this time the engine leaves the task to the request. */
  reservedSeconds?: number;
}

interface TaskFilter {
  kinds?: readonly TaskKind[];
  state?: TaskState | undefined;
  directoryId?: string | undefined;
}

const COLUMNS = 'id, kind, state, done, total, result, error, created_at, started_at, finished_at';

/** The longest pause that another server can ask for. */
const MOST_PAUSE_SECONDS = 3_600;
/** `lease_until`: the engine leaves the task alone until then. */
const OPEN = `state in ('waiting', 'running') and (lease_until is null or lease_until <= now())`;

export interface ClaimedTask extends Task {
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

/** A failure in words that a tenant may read; the message of the database stays in the log. */
function reasonOf(error: unknown): string {
  return error instanceof TaskInterrupted
    ? error.message
    : 'an error inside the service, which its log describes under task.interrupted';
}

/** An item that a task could not do, and why. */
export interface LeftOutItem {
  /** Unique in its task: a repeated batch notes the item once. */
  id: string;
  /** Identifies the item for a reader, such as the account of a platform. */
  item: object;
  reason: string;
  /** One sentence: the obstacle, and of which user. */
  detail: string;
}

/** Tasks in the database: made, shown and stopped by rooms, taken and noted by the engine. */
@Injectable()
export class TasksRepository {
  constructor(private readonly db: Database) {}

  /** Has an engine, of this process or another one, look for a task that was just committed. */
  wake(): void {
    this.db.feed.wakeups.tell('work');
  }

  async add(db: SqlRunner, tenantId: string, task: NewTask): Promise<TaskRow> {
    const { rows } = await db.query<TaskRow>(
      `insert into tasks (tenant_id, id, kind, payload, total, created_by, directory_id, lease_until)
       values ($1, $2, $3, $4::jsonb, $5, $6::jsonb, $7, now() + $8::int * interval '1 second') returning ${COLUMNS}`,
      [
        tenantId,
        newId('tsk'),
        task.kind,
        JSON.stringify(task.payload),
        task.total ?? null,
        JSON.stringify(task.createdBy),
        task.directoryId ?? null,
        task.reservedSeconds ?? null,
      ],
    );
    return rows[0]!;
  }

  /** @param actorId only if this actor began the task; null for any actor */
  async find(
    tenantId: string,
    id: string,
    { actorId = null, db = this.db }: { actorId?: string | null; db?: SqlRunner } = {},
  ): Promise<TaskRow | undefined> {
    const { rows } = await db.query<TaskRow>(
      `select ${COLUMNS} from tasks
       where tenant_id = $1 and id = $2 and ($3::text is null or created_by ->> 'id' = $3)`,
      [tenantId, id, actorId],
    );
    return rows[0];
  }

  /** Returns the open task of a kind for a directory; without one, for any directory of the tenant. */
  async open(db: SqlRunner, tenantId: string, kind: TaskKind, directoryId?: string): Promise<TaskRow | undefined> {
    const { rows } = await db.query<TaskRow>(
      `select ${COLUMNS} from tasks where tenant_id = $1 and state in ('waiting', 'running') and kind = $2
         and ($3::text is null or directory_id = $3) order by created_at limit 1`,
      [tenantId, kind, directoryId ?? null],
    );
    return rows[0];
  }

  async list(tenantId: string, filter: TaskFilter, page: Pick<PageRequest, 'limit' | 'after'>): Promise<TaskRow[]> {
    const ofDirectory = filter.directoryId === undefined ? '' : 'and directory_id = $6';
    const values = [tenantId, page.after, page.limit + 1, filter.kinds ?? null, filter.state ?? null];
    const { rows } = await this.db.query<TaskRow>(
      `select ${COLUMNS} from tasks where tenant_id = $1 and ($2::text is null or id < $2)
         and ($4::text[] is null or kind = any($4)) and ($5::text is null or state = $5) ${ofDirectory}
       order by id desc limit $3`,
      filter.directoryId === undefined ? values : [...values, filter.directoryId],
    );
    return rows;
  }

  /** Notes that the request which made a task has done it. */
  async finish(tenantId: string, id: string): Promise<void> {
    await this.db.query(
      `update tasks set state = 'done', done = coalesce(total, done), started_at = coalesce(started_at, created_at),
         finished_at = now(), lease_until = null
       where tenant_id = $1 and id = $2 and state in ('waiting', 'running')`,
      [tenantId, id],
    );
  }

  /**
   * Stops a task. A batch that is under way is finished, but its progress is no longer noted.
   *
   * @returns false when the task is over already
   */
  async cancel(tx: SqlRunner, tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `update tasks set state = 'cancelled', finished_at = now(), lease_until = null
       where tenant_id = $1 and id = $2 and state in ('waiting', 'running')`,
      [tenantId, id],
    );
    return rowCount === 1;
  }

  dueTasks(queue: readonly TaskKind[]): string {
    const kinds = queue.map((kind) => `'${kind}'`).join(', ');
    return `select tenant_id, '' collate "C" as id, min(coalesce(lease_until, created_at)) as since, null::text as server
      from tasks where ${OPEN} and kind in (${kinds || 'null'}) group by tenant_id`;
  }

  /** Takes the due task of a tenant that has waited the longest since it was made or last worked on. */
  async nextDue(tx: SqlRunner, tenantId: string, queue: readonly TaskKind[]): Promise<ClaimedTask | null> {
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
   * Notes the progress of a task, and gives it back for the next round. A cancelled task is not changed.
   *
   * The total was counted earlier than the items were done, and items are added and removed in between. So a total smaller than
   * the done items grows with them, and a finished task has as many items as it has done.
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

  async fail(tx: SqlRunner, task: ClaimedTask, error: string): Promise<void> {
    await tx.query(
      `update tasks set state = 'failed', error = $3, finished_at = now(), lease_until = null
       where tenant_id = $1 and id = $2 and state = 'running' and done = $4`,
      [task.tenantId, task.id, error, task.done],
    );
  }

  async addLeftOut(tenantId: string, taskId: string, { id, item, reason, detail }: LeftOutItem): Promise<void> {
    await this.db.query(
      `insert into task_left_out (tenant_id, task_id, item_id, item, reason, detail) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      [tenantId, taskId, id, JSON.stringify(item), reason, detail],
    );
  }

  async listLeftOut(tenantId: string, taskId: string, page: PageRequest): Promise<LeftOutItem[]> {
    const { rows } = await this.db.query<LeftOutItem>(
      `select item_id as id, item, reason, detail from task_left_out
       where tenant_id = $1 and task_id = $2 and ($3::text is null or item_id > $3) order by item_id limit $4`,
      [tenantId, taskId, page.after, page.limit + 1],
    );
    return rows;
  }
}

/** Tasks that were over a month ago, and the rests of work that was not due again when they ended. */
export const TASK_LEFTOVERS = [
  `delete from tasks where state in ('done', 'failed', 'cancelled') and finished_at < now() - interval '30 days'`,
  `delete from work_entries where tenant_id <> '' and free_at < now() - interval '1 hour'`,
] as const;
