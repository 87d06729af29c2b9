import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import type { Actor } from '../../tenancy/identity/person.js';
import type { TaskKind, TaskState } from './task.js';

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
export interface NewTask {
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
export interface TaskFilter {
  kinds?: readonly TaskKind[];
  state?: TaskState | undefined;
  directoryId?: string | undefined;
}

const COLUMNS = 'id, kind, state, done, total, result, error, created_at, started_at, finished_at';

/** The statements that make, show and stop tasks. */
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
}
