import { Injectable } from '@nestjs/common';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Database } from '../../../base/database/database.js';
import { Conflict, NotFound, DomainError } from '../../../base/errors/domain-error.js';
import { TaskHandlers, TaskFailed, TaskInterrupted, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../../engine/work/tasks.service.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';
import { consoleRight } from '../../../tenancy/tenants/administrators.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { PersonBody } from '../../../tenancy/tenants/tenants.dto.js';
import type { Directory } from '../../directories/directory.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import type { HeldCount } from '../../users/held/held.dto.js';
import { draftOf, type UserDocument } from '../../users/user.mapping.js';
import { UsersService } from '../../users/write/users.service.js';

export class UnlinkedUserBody extends OmitType(PersonBody, ['external_id']) {
  @ApiProperty({ example: 'usr_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  user_id!: string;
  @ApiProperty({ example: 'ann@example.com' })
  user_name!: string;
  @ApiProperty({ example: 'held' })
  seat!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Why the user is held; null: the user is not held.' })
  held!: string | null;
  @ApiProperty({ type: String, format: 'date-time', description: 'The last change of the user.' })
  updated_at!: string;
}

export type UnlinkedUserRow = Omit<UnlinkedUserBody, 'updated_at'> & { updated_at: Date };

/** A live directory that has taken over another one. */
export type Successor = Directory & { takesOver: string };

interface UnlinkedChoice {
  user_ids?: string[] | undefined;
}

// `users_active` finds the active users of a directory in the order of their ids.
const MATCHES = `u.tenant_id = $1 and u.directory_id = $2 and u.status = 'active'
  and ($3::text[] is null or u.id = any($3))`;

type Payload = UnlinkedChoice & { directory: string; after?: string };

const BATCH = 100;
const NOT_UNLINKED = 'The user is not active, or the replaced directory does not manage the user.';

/** Deactivates users whom a replaced directory still manages, as if its successor had written `active: false`. */
@Injectable()
export class UnlinkedDepartures {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly tasks: TasksRepository,
    private readonly audit: AuditService,
    handlers: TaskHandlers,
    private readonly directories: DirectoryStore,
  ) {
    handlers.add<Payload>(['unlinked.deactivate'], { run: (task) => this.batch(task) });
  }

  /**
   * @throws {NotFound} when the only user of the choice is not unlinked
   * @throws {TooMany} `too_many_tasks`
   */
  async begin(caller: Caller, { id }: Successor, choice: UnlinkedChoice, count: number): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    const total = choice.user_ids?.length ?? count;
    const payload: Payload = { directory: id, ...choice };
    const task = await once(this.db, caller, async (tx) => {
      if (count === 0 && choice.user_ids?.length === 1) throw new NotFound('unlinked user');
      await demandRoom(tx, TASKS_CAP, tenantId);
      const kind = 'unlinked.deactivate';
      const made = await this.tasks.add(tx, tenantId, { kind, payload, total, createdBy: actor, directoryId: id });
      const line = { tenantId, actor, requestId, targetType: 'task', targetId: made.id };
      await this.audit.record(tx, { ...line, action: 'unlinked.deactivate_begun', after: { ...payload, total } });
      return made;
    });
    this.tasks.wake();
    return task;
  }

  private async batch(task: Task<Payload>): Promise<Batch> {
    const { directory, user_ids: ids, after } = task.payload;
    const successor = await this.successor(task.tenantId, directory);
    const rows = await this.listUsers(successor, { after: after ?? null, limit: BATCH }, { user_ids: ids });
    const result: Record<string, number> = { deactivated: 0, held: 0, left_out: 0, ...task.result };
    const others = after === undefined ? await this.others(successor, ids) : [];
    for (const id of others) await this.omit(task, id, 'not_unlinked', NOT_UNLINKED);
    result['left_out']! += others.length;
    for (const { user_id: id } of rows) result[await this.one(task, successor, id)]!++;
    const next = rows.length < BATCH ? null : { ...task.payload, after: rows.at(-1)!.user_id };
    return { done: rows.length + others.length, next, result };
  }

  private async one(
    task: Task<Payload>,
    successor: Successor,
    userId: string,
  ): Promise<'deactivated' | 'held' | 'left_out'> {
    const { tenantId, id: directoryId, takesOver, attributeMap } = successor;
    const actor = task.createdBy;
    const source = { request_id: task.id, surface: 'system', directory_id: directoryId, actor } as const;
    const context = { tenantId, channel: 'scim', directory: successor, source, receivedAt: new Date() } as const;
    try {
      const { row } = await this.users.change(
        { ...context, mayWait: true },
        userId,
        (user) => user.directory_id === takesOver && user.status === 'active',
        ({ doc }) => {
          const draft = draftOf({ ...(JSON.parse(doc) as UserDocument), active: false }, attributeMap);
          return { kind: 'link', draft, directoryId, by: 'id' };
        },
      );
      return row.status === 'active' ? 'held' : 'deactivated';
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isMissing = error instanceof NotFound;
      await this.omit(task, userId, isMissing ? 'not_unlinked' : error.code, isMissing ? NOT_UNLINKED : error.message);
      return 'left_out';
    }
  }

  private async others(successor: Successor, ids: string[] | undefined): Promise<string[]> {
    if (ids === undefined) return [];
    const rows = await this.listUsers(successor, { after: null, limit: ids.length }, { user_ids: ids });
    const known = new Set(rows.map(({ user_id }) => user_id));
    return ids.filter((id) => !known.has(id));
  }

  private async successor(tenantId: string, directoryId: string): Promise<Successor> {
    try {
      const successor = await this.successorOf(tenantId, directoryId);
      if (successor === null) throw new TaskFailed('The directory takes over no other one any more.');
      return successor;
    } catch (error) {
      if (error instanceof Conflict && error.code === 'going_live') throw new TaskInterrupted(error.message);
      if (error instanceof DomainError) throw new TaskFailed(error.message);
      throw error;
    }
  }

  private omit(task: Task<Payload>, userId: string, reason: string, detail: string): Promise<void> {
    return this.tasks.addLeftOut(task.tenantId, task.id, { id: userId, item: { user_id: userId }, reason, detail });
  }

  /**
   * Returns the directory if it has taken over another one, else null.
   *
   * @throws {NotFound} when the tenant has no such directory
   * @throws {Conflict} `no_take_over` while it is in preview; `going_live` while it still links users
   */
  async successorOf(tenantId: string, directoryId: string): Promise<Successor | null> {
    const directory = await this.directories.fresh(tenantId, directoryId);
    if (directory === null) throw new NotFound('directory');
    const { takesOver, state } = directory;
    if (takesOver === null) return null;
    if (state !== 'live') {
      throw new Conflict('no_take_over', 'The directory is in preview: there are no users that it has not linked.');
    }
    const task = await this.tasks.open(this.db, tenantId, 'preview-live', directoryId);
    if (task !== undefined) {
      throw new Conflict('going_live', `The directory still links users, in the task ${task.id}.`);
    }
    return { ...directory, takesOver };
  }

  async listUsers(
    { tenantId, takesOver }: Successor,
    { after, limit }: { after: string | null; limit: number },
    { user_ids: ids }: UnlinkedChoice = {},
  ): Promise<UnlinkedUserRow[]> {
    const { rows } = await this.db.query<UnlinkedUserRow>(
      `select u.id as user_id, u.user_name, u.email, u.first_name, u.last_name, u.role, u.seat, u.held, u.updated_at
       from users u where ${MATCHES} and u.id > $4 order by u.id limit $5`,
      [tenantId, takesOver, ids ?? null, after ?? '', limit],
    );
    return rows;
  }

  async countUsers({ tenantId, takesOver }: Successor, { user_ids: ids }: UnlinkedChoice): Promise<HeldCount> {
    const { rows } = await this.db.query<HeldCount>(
      `select count(*)::int as count, (count(*) filter (
         where ${consoleRight('$1::text', 'u.id', 'u.role')} <> 'none'))::int as administrators from users u where ${MATCHES}`,
      [tenantId, takesOver, ids ?? null],
    );
    return rows[0]!;
  }
}
