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

/** A task as it is stored, without its payload. */
export interface TaskRow {
  id: string;
  kind: TaskKind;
  state: TaskState;
  done: number;
  total: number | null;
  /** Counts of what the task came to, by name; null: it has none yet. */
  result: Record<string, number> | null;
  error: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** A task that is to be done. */
interface NewTask {
  kind: TaskKind;
  payload: object;
  total?: number | null;
  createdBy: Actor;
  /** The directory that the task is about. */
  directoryId?: string;
  /** The engine leaves the task alone for this time: the request does the work. */
  reservedSeconds?: number;
}

/** Which tasks a list shows. */
interface TaskFilter {
  kinds?: readonly TaskKind[];
  state?: TaskState | undefined;
  directoryId?: string | undefined;
}

const COLUMNS = 'id, kind, state, done, total, result, error, created_at, started_at, finished_at';

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

/** A failure in words that a tenant may read; what the database says stays in the log. */
function reasonOf(error: unknown): string {
  return error instanceof TaskInterrupted
    ? error.message
    : 'an error inside the service, which its log describes under task.interrupted';
}

/** Something that a task could not do, and why. */
export interface LeftOutItem {
  /** Unique in its task: the same one is noted once, however often its batch is repeated. */
  id: string;
  /** What identifies it for a reader, such as the account of a platform. */
  item: object;
  /** A stable code. */
  reason: string;
  /** One sentence: what is in the way, and of which user. */
  detail: string;
}

/**
 * The statements that make, show and stop tasks.
 *
 * The statements by which tasks are taken, and by which it is noted how far they are.
 */
@Injectable()
export class TasksRepository {
  constructor(private readonly db: Database) {}

  /** Has the engine look for a task that was just committed: that of this process, else that of another one. */
  wake(): void {
    this.db.feed.wakeups.tell('work');
  }

  /** Puts down a task, in the transaction of what it follows from. */
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

  /**
   * Returns one task of the tenant.
   *
   * @param actorId only if this actor began it; null: any actor
   */
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

  /** Returns the task of a kind that waits or runs for a directory; without one: for any directory of the tenant. */
  async open(db: SqlRunner, tenantId: string, kind: TaskKind, directoryId?: string): Promise<TaskRow | undefined> {
    const { rows } = await db.query<TaskRow>(
      `select ${COLUMNS} from tasks where tenant_id = $1 and state in ('waiting', 'running') and kind = $2
         and ($3::text is null or directory_id = $3) order by created_at limit 1`,
      [tenantId, kind, directoryId ?? null],
    );
    return rows[0];
  }

  /** Returns one page, newest first, with one row too many. */
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

  /** Notes that the request which made a task has done it itself. */
  async finish(tenantId: string, id: string): Promise<void> {
    await this.db.query(
      `update tasks set state = 'done', done = coalesce(total, done), started_at = coalesce(started_at, created_at),
         finished_at = now(), lease_until = null
       where tenant_id = $1 and id = $2 and state in ('waiting', 'running')`,
      [tenantId, id],
    );
  }

  /**
   * Stops a task. A batch that is under way is finished, and its progress is not noted any more.
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
  /** Returns the tenants that have tasks of a queue, as SQL. */
  dueTasks(queue: readonly TaskKind[]): string {
    const kinds = queue.map((kind) => `'${kind}'`).join(', ');
    return `select tenant_id, '' collate "C" as id, min(coalesce(lease_until, created_at)) as since, null::text as server
      from tasks where ${OPEN} and kind in (${kinds || 'null'}) group by tenant_id`;
  }

  /** Takes the task of a tenant that has waited the longest since it was made or last worked on; null: none is due. */
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

  async addLeftOut(tenantId: string, taskId: string, { id, item, reason, detail }: LeftOutItem): Promise<void> {
    await this.db.query(
      `insert into task_left_out (tenant_id, task_id, item_id, item, reason, detail) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      [tenantId, taskId, id, JSON.stringify(item), reason, detail],
    );
  }

  /** Returns one page, in the order of the ids, with one row too many. */
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
