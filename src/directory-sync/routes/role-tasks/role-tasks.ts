import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { IntervalWork } from '../../../base/work/work.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import type { GroupName, Trigger } from '../../../tenancy/identity/cause.rules.js';
import { type ChangeSource, systemActor } from '../../../tenancy/identity/person.js';
import {
  DirectoryPeople,
  type ChangedDirectory,
  type LiveNeed,
  type RoleSettings,
} from '../../directories/directory-people.js';
import type { DirectoryState } from '../../directories/directory.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { KeptWritesRepository } from '../../users/kept-writes.repository.js';
import { ReleasedUsers } from '../../users/people/released-users.js';
import { UsersService } from '../../users/write/users.service.js';
import type { WriteContext, WritingDirectory } from '../../users/write/write-case.js';
import { PreviewEditing } from '../preview/preview-editing.js';
import { PreviewPlans } from '../preview/preview-plans.js';
import { PreviewPlansRepository } from '../preview/preview-plans.repository.js';
import { RulesPlan } from './rules-plan.js';

interface RolePayload {
  directory_id: string;
  user_ids?: string[];
  group?: GroupName;
  /** The directory went live, of `rules-changed`. */
  live?: true;
  after?: string;
}

type RoleTask = Task<RolePayload>;

const BATCH = 200;

@Injectable()
export class RoleTasks {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly preview: PreviewEditing,
    private readonly directories: DirectoryStore,
    handlers: TaskHandlers,
  ) {
    const cancellable = false;
    handlers.add<RolePayload>(['role-review', 'rules-changed'], { run: (task) => this.review(task), cancellable });
    handlers.add<RolePayload>(['preview-live'], { run: (task) => this.goLive(task), cancellable });
  }

  private async review(task: RoleTask): Promise<Batch> {
    const ids = task.kind === 'role-review' ? listed(task) : await this.ofDirectory(task);
    const context = ids.length === 0 ? null : await this.contextOf(task);
    const trigger = triggerOf(task);
    for (const id of context === null ? [] : ids) {
      await this.users.reconsider(context!, id, { trigger }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error; // The user was deleted since.
      });
    }
    const next = ids.length < BATCH ? null : { ...task.payload, after: ids.at(-1) };
    return { done: ids.length, next };
  }

  /** Applies a batch of stored writes of a preview. Stops where the directory is in preview again. */
  private async goLive(task: RoleTask): Promise<Batch> {
    const context = await this.contextOf(task);
    if (context?.directory.state !== 'live') return { done: 0, next: null };
    const total = task.done === 0 ? await this.preview.count(task.tenantId, task.payload.directory_id) : undefined;
    const done = await this.preview.step(task.id, context);
    return { done, next: done === 0 ? null : task.payload, ...(total !== undefined && { total }) };
  }

  private async ofDirectory({ tenantId, payload }: RoleTask): Promise<string[]> {
    const { rows } = await this.db.query<{ id: string }>(
      `select id from users where tenant_id = $1 and directory_id = $2 and id > $3 order by id limit ${BATCH}`,
      [tenantId, payload.directory_id, payload.after ?? ''],
    );
    return rows.map((row) => row.id);
  }

  /** Returns null where the directory was deleted: its users keep their state. */
  private async contextOf(task: RoleTask): Promise<(WriteContext & { directory: WritingDirectory }) | null> {
    // Reads past the cache: a batch with an older attribute map or role would have to be repeated.
    const directory = await this.directories.fresh(task.tenantId, task.payload.directory_id);
    if (directory === null) return null;
    const source: ChangeSource = {
      request_id: task.id,
      surface: 'system',
      directory_id: directory.id,
      actor: task.createdBy,
    };
    return { tenantId: task.tenantId, channel: 'scim', directory, source, receivedAt: new Date() };
  }
}

function triggerOf({ kind, payload: { group, live } }: RoleTask): Trigger {
  if (kind === 'role-review') return { kind: 'membership', ...(group === undefined ? {} : { group }) };
  return { kind: live === true ? 'live' : 'settings' };
}

function listed({ payload, done }: RoleTask): string[] {
  return (payload.user_ids ?? []).slice(done, done + BATCH);
}

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
    // A change back to preview changes no user.
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

/**
 * Releases users that a directory wrote while it was being deleted. A request that passed the guard before can write
 * for about a second. A lock on the directory would cost time in every write of every directory.
 */
@Injectable()
export class DeletedDirectories extends IntervalWork {
  override readonly kind = 'directories.deleted';
  override readonly everyMs = 15_000;

  constructor(
    private readonly db: Database,
    private readonly people: DirectoryPeople,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const { rows } = await this.db.query<{ tenant_id: string; id: string }>(
      `select d.tenant_id, d.id from directories d
       where d.deleted_at is not null and d.deleted_at > now() - interval '1 hour' and (
         exists (select 1 from users u where u.tenant_id = d.tenant_id and u.directory_id = d.id)
         -- The order names the index.
         or (select g.id from groups g where g.tenant_id = d.tenant_id and g.directory_id = d.id
             order by g.display_name_key limit 1) is not null)`,
    );
    for (const { tenant_id, id } of rows) {
      await this.db.transaction(tenant_id, (tx) => this.people.release(tx, tenant_id, id, lateSource(id)));
    }
  }
}

/** The request that deleted the directory is over, so the release has no request id. */
function lateSource(directoryId: string): ChangeSource {
  return {
    request_id: directoryId,
    surface: 'system',
    directory_id: directoryId,
    actor: systemActor('deleted-directories'),
  };
}
