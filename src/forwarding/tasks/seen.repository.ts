import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';

/** What a task has met in the platform's list so far, over all its batches: ids of users or of accounts. */
@Injectable()
export class SeenRepository {
  constructor(private readonly db: Database) {}

  /** Notes ids; one that is noted already stays. */
  async note(tenantId: string, taskId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.db.query(
      `insert into task_seen (tenant_id, task_id, user_id) select $1, $2, unnest($3::text[]) on conflict do nothing`,
      [tenantId, taskId, ids],
    );
  }

  /** Returns those of some ids that are noted. */
  async among(tenantId: string, taskId: string, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const { rows } = await this.db.query<{ id: string }>(
      `select user_id as id from task_seen where tenant_id = $1 and task_id = $2 and user_id = any($3::text[])`,
      [tenantId, taskId, ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Forgets everything that a task has noted. */
  async forget(tenantId: string, taskId: string): Promise<void> {
    await this.db.query(`delete from task_seen where tenant_id = $1 and task_id = $2`, [tenantId, taskId]);
  }
}
