import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';

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

/** What tasks have left out. */
@Injectable()
export class LeftOutRepository {
  constructor(private readonly db: Database) {}

  async add(tenantId: string, taskId: string, { id, item, reason, detail }: LeftOutItem): Promise<void> {
    await this.db.query(
      `insert into task_left_out (tenant_id, task_id, item_id, item, reason, detail) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      [tenantId, taskId, id, JSON.stringify(item), reason, detail],
    );
  }

  /** Returns one page, in the order of the ids, with one row too many. */
  async list(tenantId: string, taskId: string, page: PageRequest): Promise<LeftOutItem[]> {
    const { rows } = await this.db.query<LeftOutItem>(
      `select item_id as id, item, reason, detail from task_left_out
       where tenant_id = $1 and task_id = $2 and ($3::text is null or item_id > $3) order by item_id limit $4`,
      [tenantId, taskId, page.after, page.limit + 1],
    );
    return rows;
  }
}
