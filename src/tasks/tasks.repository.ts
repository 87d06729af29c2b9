import { Injectable } from '@nestjs/common';
import { Database } from '../base/database/database.js';
import type { PageRequest } from '../base/http/page.js';

/** A task as the API shows it. */
export interface TaskRow {
  id: string;
  kind: string;
  state: 'waiting' | 'running' | 'done' | 'failed';
  done: number;
  total: number | null;
  /** Counts of what the task came to, by name; null: it has none yet. */
  result: Record<string, number> | null;
  error: string | null;
  created_at: Date;
  finished_at: Date | null;
}

const COLUMNS = 'id, kind, state, done, total, result, error, created_at, finished_at';

/** Reads the background work of a tenant, whichever room does it. */
@Injectable()
export class TasksRepository {
  constructor(private readonly db: Database) {}

  async find(tenantId: string, id: string): Promise<TaskRow | undefined> {
    const { rows } = await this.db.query<TaskRow>(`select ${COLUMNS} from jobs where tenant_id = $1 and id = $2`, [
      tenantId,
      id,
    ]);
    return rows[0];
  }

  /** Returns one page, newest first, with one row too many. */
  async list(tenantId: string, page: PageRequest): Promise<TaskRow[]> {
    const { rows } = await this.db.query<TaskRow>(
      `select ${COLUMNS} from jobs where tenant_id = $1 and ($2::text is null or id < $2) order by id desc limit $3`,
      [tenantId, page.after, page.limit + 1],
    );
    return rows;
  }
}
