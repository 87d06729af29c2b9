import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { ChangeSource } from '../../identity/source.js';
import { DirectoryPeople, type SeatNeed } from '../../directories/directory-people.js';
import { PreviewPlan } from '../preview/preview-plan.js';
import type { DirectoryState } from '../../directories/directory.js';
import { RoleReview } from '../../directories/role-review.js';
import { joinUnmanaged } from '../../users/groups/pending-members.js';
import { settleHeld } from '../../users/released-users.js';
import { TasksRepository } from '../../tasks/tasks.repository.js';
import { TasksRunner } from '../../tasks/tasks.runner.js';

/** Puts down a task when the rules of a directory change, so that no request waits for thousands of users. */
@Injectable()
export class RulesReview extends RoleReview {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly runner: TasksRunner,
  ) {
    super();
  }

  async ruleChanged(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void> {
    await addRulesTask(this.tasks, db, tenantId, directoryId, source);
    this.runner.wake();
  }
}

/** The users of a directory that is deleted, or that goes live. */
@Injectable()
export class PeopleOfDirectory extends DirectoryPeople {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly runner: TasksRunner,
    private readonly plan: PreviewPlan,
  ) {
    super();
  }

  /** Users stay as they are in force, unmanaged and no longer held for the directory's sake; nothing is forwarded. */
  async release(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void> {
    await lockDirectory(db, tenantId, directoryId);
    await db.query(`delete from preview_writes where tenant_id = $1 and directory_id = $2`, [tenantId, directoryId]);
    await settleHeld(db, tenantId, directoryId);
    await db.query(
      // Key and role came from the directory; now they are the person's own, as the users API writes them.
      `with freed as (update users set directory_id = null, role_set = coalesce(role, role_set),
           external_id = person_external_id, version = version + 1,
           -- The resource changes where the key does.
           quiet_writes = quiet_writes + (external_id is not distinct from person_external_id)::int,
           resource_at = case when external_id is not distinct from person_external_id then resource_at
             else greatest(date_trunc('milliseconds', now()), resource_at, updated_at) end,
           name_written = true, discarded_role = null, released = null,
           doc_bytes = null, -- measured when it is needed
           doc = case when person_external_id is null then doc - 'externalId'
             else jsonb_set(doc, '{externalId}', to_jsonb(person_external_id)) end
         where tenant_id = $1 and directory_id = $2 and gone_at is null returning id, seat, role, cost_center),
       -- A holder without a directory is another fact for the ledger.
       noted as (insert into seat_entries (tenant_id, kind, user_id, delta, role, directory_id, cost_center, reason, source)
         select $1, 'update', id, 0, role, null, cost_center, 'directory', $3::jsonb from freed where seat = 'held')
       insert into population_steps (tenant_id, owner, step)
       select $1, x.owner, x.step from (select count(*)::int as n from freed) f
       cross join lateral (values ($2::text, -f.n), ('', f.n)) as x(owner, step) where f.n > 0`,
      [tenantId, directoryId, JSON.stringify(source)],
    );
    await db.query(`delete from groups where tenant_id = $1 and directory_id = $2`, [tenantId, directoryId]);
    await joinUnmanaged(db, tenantId);
  }

  async seatsNeeded(tenantId: string, directoryId: string): Promise<SeatNeed> {
    return (await this.plan.of(tenantId, directoryId)).seats;
  }

  async stateChanged(
    db: SqlRunner,
    tenantId: string,
    directoryId: string,
    state: DirectoryState,
    source: ChangeSource,
  ): Promise<void> {
    // Back in preview, no user changes.
    if (state === 'preview') return;
    const payload = { directory_id: directoryId };
    const task = { kind: 'preview-live', payload, createdBy: source.actor, directoryId } as const;
    await this.tasks.add(db, tenantId, task);
    await addRulesTask(this.tasks, db, tenantId, directoryId, source);
    this.runner.wake();
  }
}

/** Locks all users of a directory, then its groups and those in which one of the users is awaited, each by id. */
async function lockDirectory(db: SqlRunner, tenantId: string, directoryId: string): Promise<void> {
  await db.query(
    `select count(*) from (
       select 1 from users where tenant_id = $1 and directory_id = $2 order by id for update) x`,
    [tenantId, directoryId],
  );
  await db.query(
    `select count(*) from (
       select 1 from groups where tenant_id = $1 and (directory_id = $2 or id in (
         select p.group_id from pending_members p join users u on u.tenant_id = $1 and u.id = p.member_id
         where p.tenant_id = $1 and (u.directory_id = $2 or u.directory_id is null))) order by id for update) x`,
    [tenantId, directoryId],
  );
}

async function addRulesTask(
  tasks: TasksRepository,
  db: SqlRunner,
  tenantId: string,
  directoryId: string,
  source: ChangeSource,
): Promise<void> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from users where tenant_id = $1 and directory_id = $2`,
    [tenantId, directoryId],
  );
  const payload = { directory_id: directoryId };
  const task = { kind: 'rules-changed', payload, total: rows[0]!.n, createdBy: source.actor, directoryId } as const;
  await tasks.add(db, tenantId, task);
}
