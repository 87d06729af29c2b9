import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import type { Expected } from './drift.rules.js';

const BATCH = 500;

/** What a comparison with the platform's list reads and notes. */
@Injectable()
export class DriftRepository {
  constructor(private readonly db: Database) {}

  /** The users that are bound to these accounts at the present address, by the id of the account. */
  async byAccount(tenantId: string, epoch: number, accountIds: string[]): Promise<Map<string, Expected>> {
    const { rows } = await this.db.query<Expected & { account: string }>(
      `select l.platform_id as account, l.user_id as "userId", l.target_state as state, l.target_person as person
       from lanes l where l.tenant_id = $1 and l.platform_id = any($3::text[]) and l.epoch = $2`,
      [tenantId, epoch, accountIds],
    );
    return new Map(rows.map(({ account, ...expected }) => [account, expected]));
  }

  /** The active users with these keys that are bound to no account yet, by their key. */
  async unboundByKey(tenantId: string, epoch: number, externalIds: string[]): Promise<Map<string, Expected>> {
    const { rows } = await this.db.query<Expected & { key: string }>(
      `select u.person_external_id as key, u.id as "userId", l.target_state as state, l.target_person as person
       from users u join lanes l on l.tenant_id = $1 and l.user_id = u.id
       where u.tenant_id = $1 and u.status = 'active' and u.person_external_id = any($3::text[])
         and (l.platform_id is null or l.epoch < $2)`,
      [tenantId, epoch, externalIds],
    );
    return new Map(rows.map(({ key, ...expected }) => [key, expected]));
  }

  /** Notes users whose account is in the list. */
  async see(tenantId: string, taskId: string, userIds: string[]): Promise<void> {
    await this.db.query(
      `insert into task_seen (tenant_id, task_id, user_id) select $1, $2, unnest($3::text[]) on conflict do nothing`,
      [tenantId, taskId, userIds],
    );
  }

  /** Looks through the next users; returns those who should be active on the platform and were not seen in its list. */
  async unseen(tenantId: string, taskId: string, after: string): Promise<{ users: Expected[]; next: string | null }> {
    const { rows } = await this.db.query<Expected & { expected: boolean }>(
      `select l.user_id as "userId", l.target_state as state, l.target_person as person,
         l.target_state = 'active' and not exists (
           select 1 from task_seen s where s.tenant_id = $1 and s.task_id = $2 and s.user_id = l.user_id) as expected
       from lanes l where l.tenant_id = $1 and l.user_id > $3 order by l.user_id limit ${BATCH}`,
      [tenantId, taskId, after],
    );
    const users = rows
      .filter(({ expected }) => expected)
      .map(({ userId, state, person }) => ({ userId, state, person }));
    return { users, next: rows.length < BATCH ? null : rows.at(-1)!.userId };
  }

  /** Forgets whom a comparison has seen. */
  async forget(tenantId: string, taskId: string): Promise<void> {
    await this.db.query(`delete from task_seen where tenant_id = $1 and task_id = $2`, [tenantId, taskId]);
  }
}
