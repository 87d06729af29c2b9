import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import type { GroupName, Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { UsersService } from '../../users/write/users.service.js';
import type { WriteContext, WritingDirectory } from '../../users/write/write-context.js';
import { PreviewLive } from '../preview/preview-live.js';

/** The payload of a task of a directory. */
export interface RolePayload {
  directory_id: string;
  /** The users of a `role-review`. */
  user_ids?: string[];
  /** The group whose members have changed, of a `role-review`. */
  group?: GroupName;
  /** The directory went live, of `rules-changed`. */
  live?: true;
  /** The user after which the next batch begins. */
  after?: string;
}

type RoleTask = Task<RolePayload>;

const BATCH = 200;

/** Runs the tasks for changed memberships, changed rules and going live. */
@Injectable()
export class RoleTasks {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly live: PreviewLive,
    private readonly directories: DirectoryStore,
    handlers: TaskHandlers,
  ) {
    const cancellable = false;
    handlers.add<RolePayload>(['role-review', 'rules-changed'], { run: (task) => this.review(task), cancellable });
    handlers.add<RolePayload>(['preview-live'], { run: (task) => this.goLive(task), cancellable });
  }

  /** Computes the effective state of a batch of users again. */
  private async review(task: RoleTask): Promise<Batch> {
    const ids = task.kind === 'role-review' ? listed(task) : await this.ofDirectory(task);
    const context = ids.length === 0 ? null : await this.contextOf(task);
    const trigger = triggerOf(task);
    for (const id of context === null ? [] : ids) {
      await this.users.reconsider(context!, id, { trigger }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error; // The user was deleted meanwhile.
      });
    }
    const next = ids.length < BATCH ? null : { ...task.payload, after: ids.at(-1) };
    return { done: ids.length, next };
  }

  /** Applies a batch of stored writes of a preview. Ends where the directory is back in preview. */
  private async goLive(task: RoleTask): Promise<Batch> {
    const context = await this.contextOf(task);
    if (context?.directory.state !== 'live') return { done: 0, next: null };
    const total = task.done === 0 ? await this.live.count(task.tenantId, task.payload.directory_id) : undefined;
    const done = await this.live.step(task.id, context);
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
