import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import {
  DirectoryPeople,
  type ChangedDirectory,
  type LiveNeed,
  type RoleSettings,
} from '../../directories/directory-people.js';
import { RulesPlan } from './rules-plan.js';
import { PreviewPlans } from '../preview/preview-plans.js';
import { PreviewPlansRepository } from '../preview/preview-plans.repository.js';
import type { DirectoryState } from '../../directories/directory.js';
import { KeptWritesRepository } from '../../users/kept-writes.repository.js';
import { ReleasedUsers } from '../../users/people/released-users.js';
import type { RolePayload } from './role-tasks.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';

/** Changes the users of a directory that is deleted, or changes its state or its rules. */
@Injectable()
export class PeopleOfDirectory extends DirectoryPeople {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly plans: PreviewPlans,
    private readonly rulesPlan: RulesPlan,
    private readonly storedPlans: PreviewPlansRepository,
    private readonly released: ReleasedUsers,
    private readonly writes: KeptWritesRepository,
  ) {
    super();
  }

  /** Makes the users unmanaged. Their effective state stays, holds of the directory end, and nothing is forwarded. */
  async release(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void> {
    await this.released.lock(db, tenantId, directoryId);
    await this.writes.dropAll(db, tenantId, directoryId);
    await this.storedPlans.dropAll(db, tenantId, directoryId);
    await this.released.release(db, tenantId, directoryId, source);
  }

  async ruleChanged(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void> {
    await addRulesTask(this.tasks, db, tenantId, directoryId, source);
    this.tasks.wake();
  }

  liveNeed(tenantId: string, directoryId: string, settings?: RoleSettings): Promise<LiveNeed> {
    return this.plans.liveNeed(tenantId, directoryId, settings);
  }

  administratorsLost(tenantId: string, directoryId: string, changed: ChangedDirectory): Promise<number> {
    return this.rulesPlan.administratorsLost(tenantId, directoryId, changed);
  }

  async stateChanged(
    db: SqlRunner,
    tenantId: string,
    directoryId: string,
    state: DirectoryState,
    source: ChangeSource,
  ): Promise<void> {
    // Going back to preview changes no user.
    if (state === 'preview') return;
    await this.storedPlans.dropAll(db, tenantId, directoryId);
    const payload = { directory_id: directoryId };
    const task = { kind: 'preview-live', payload, createdBy: source.actor, directoryId } as const;
    await this.tasks.add(db, tenantId, task);
    await addRulesTask(this.tasks, db, tenantId, directoryId, source, { live: true });
    this.tasks.wake();
  }
}

async function addRulesTask(
  tasks: TasksRepository,
  db: SqlRunner,
  tenantId: string,
  directoryId: string,
  source: ChangeSource,
  more: Pick<RolePayload, 'live'> = {},
): Promise<void> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from users where tenant_id = $1 and directory_id = $2`,
    [tenantId, directoryId],
  );
  const payload: RolePayload = { directory_id: directoryId, ...more };
  const task = { kind: 'rules-changed', payload, total: rows[0]!.n, createdBy: source.actor, directoryId } as const;
  await tasks.add(db, tenantId, task);
}
