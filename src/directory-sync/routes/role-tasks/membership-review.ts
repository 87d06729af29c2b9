import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { GroupName } from '../../../tenancy/identity/cause.rules.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { UsersService } from '../../users/write/users.service.js';
import { writeContext, type CurrentDirectory } from '../scim-request.js';

export interface Review {
  task: string;
  people: string[];
  group: GroupName;
}

/** Roles of at most this number of users are updated before the answer; those of more users by the task. */
const INLINE = 100;
const RESERVED_SECONDS = 30;

/**
 * Updates roles when memberships change. The transaction of the change adds a task for the users, so the update also
 * happens if this process ends before it.
 */
@Injectable()
export class MembershipReview {
  constructor(
    private readonly users: UsersService,
    private readonly tasks: TasksRepository,
  ) {}

  wake(): void {
    this.tasks.wake();
  }

  /**
   * Adds a task for users whose membership of a group has changed, if a rule names the group. Rules of a directory
   * apply to its own users only. A task that the request runs itself is reserved for the request.
   */
  async note(
    tx: SqlRunner,
    directory: CurrentDirectory,
    groupId: string,
    memberIds: string[],
    soon = true,
  ): Promise<Review | null> {
    const { hasRules, superseded } = directory.writing;
    if (!hasRules || superseded || memberIds.length === 0) return null;
    const people = await this.ownPeople(tx, directory, memberIds);
    if (people.length === 0) return null;
    const group = await this.ruledGroup(tx, directory.tenantId, groupId);
    if (group === null) return null;
    const { id } = await this.tasks.add(tx, directory.tenantId, {
      kind: 'role-review',
      payload: { directory_id: directory.id, user_ids: people, group },
      total: people.length,
      createdBy: directory.actor,
      directoryId: directory.id,
      ...(soon && people.length <= INLINE ? { reservedSeconds: RESERVED_SECONDS } : {}),
    });
    return { task: id, people, group };
  }

  /** Updates the roles of a few users before the answer, after the commit. The task updates those of many users. */
  async now(directory: CurrentDirectory, review: Review | null, requestId: string): Promise<void> {
    if (review === null) return;
    if (review.people.length > INLINE) {
      this.wake();
      return;
    }
    for (const id of review.people) await this.review(directory, id, review.group, requestId);
    await this.tasks.finish(directory.tenantId, review.task);
  }

  private async ruledGroup(tx: SqlRunner, tenantId: string, groupId: string): Promise<GroupName | null> {
    const { rows } = await tx.query<GroupName>(
      `select g.id, g.display_name as name from group_rules r
       join groups g on g.tenant_id = $1 and g.id = r.group_id
       where r.tenant_id = $1 and r.group_id = $2 limit 1`,
      [tenantId, groupId],
    );
    return rows[0] ?? null;
  }

  private async ownPeople(tx: SqlRunner, directory: CurrentDirectory, ids: string[]): Promise<string[]> {
    const { rows } = await tx.query<{ id: string }>(
      `select id from users where tenant_id = $1 and directory_id = $2 and id = any($3::text[])`,
      [directory.tenantId, directory.id, ids],
    );
    return rows.map((row) => row.id);
  }

  private async review(
    directory: CurrentDirectory,
    userId: string,
    group: GroupName,
    requestId: string,
  ): Promise<void> {
    const trigger = { kind: 'membership', group } as const;
    try {
      await this.users.reconsider(writeContext(directory, requestId, new Date()), userId, { trigger });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error; // The user was deleted since.
    }
  }
}
