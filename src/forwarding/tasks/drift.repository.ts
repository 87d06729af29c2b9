import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { expectedAfter, expectedUnbound, type Expected } from '../../delivery/lanes/expected.js';
import { platformOf } from '../platform-destination.js';

/** What a comparison with the platform's list reads and notes. */
@Injectable()
export class DriftRepository {
  constructor(private readonly db: Database) {}

  /** Returns the active users with these keys that are bound to no account yet, by their key. */
  async unboundByKey(tenantId: string, epoch: number, externalIds: string[]): Promise<Map<string, Expected>> {
    const { rows } = await this.db.query<{ key: string; id: string }>(
      `select person_external_id as key, id from users
       where tenant_id = $1 and status = 'active' and person_external_id = any($2::text[])`,
      [tenantId, externalIds],
    );
    const ids = rows.map(({ id }) => id);
    const unbound = await expectedUnbound(this.db, platformOf(tenantId), epoch, ids);
    const byId = new Map(unbound.map((expected) => [expected.subject, expected]));
    return new Map(rows.flatMap(({ key, id }) => (byId.has(id) ? [[key, byId.get(id)!] as const] : [])));
  }

  /** Notes users whose account is in the list. */
  async see(tenantId: string, taskId: string, userIds: string[]): Promise<void> {
    await this.db.query(
      `insert into task_seen (tenant_id, task_id, user_id) select $1, $2, unnest($3::text[]) on conflict do nothing`,
      [tenantId, taskId, userIds],
    );
  }

  /** Looks through the next users. Returns those that should be active on the platform and are not in its list. */
  async unseen(tenantId: string, taskId: string, after: string): Promise<{ users: string[]; next: string | null }> {
    const { subjects, next } = await expectedAfter(this.db, platformOf(tenantId), after);
    const active = subjects.filter(({ state }) => state === 'active').map(({ subject }) => subject);
    const { rows } = await this.db.query<{ id: string }>(
      `select a.id from unnest($3::text[]) as a(id) where not exists (
         select 1 from task_seen s where s.tenant_id = $1 and s.task_id = $2 and s.user_id = a.id) order by a.id`,
      [tenantId, taskId, active],
    );
    return { users: rows.map(({ id }) => id), next };
  }

  /** Forgets the users that a comparison has seen. */
  async forget(tenantId: string, taskId: string): Promise<void> {
    await this.db.query(`delete from task_seen where tenant_id = $1 and task_id = $2`, [tenantId, taskId]);
  }
}
