import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { TasksRepository } from '../../tasks/tasks.repository.js';
import { TasksRunner } from '../../tasks/tasks.runner.js';
import { UsersService } from '../../users/users.service.js';
import { writeContext, type CurrentDirectory } from '../current-directory.js';

/** Users whose roles have to be worked out again, and the task that says so. */
export interface Review {
  task: string;
  people: string[];
}

/** Up to so many people a role is settled before the IdP gets its answer; beyond that, right after it. */
const INLINE = 100;
/** The runner leaves the task of a review alone for so long, while the request does it. */
const RESERVED_SECONDS = 30;

/**
 * Makes roles follow memberships and rules. What is to be reviewed is written in the transaction that moved it, as a
 * task, so that it is done even if this process ends a moment later.
 */
@Injectable()
export class MembershipReview {
  constructor(
    private readonly users: UsersService,
    private readonly tasks: TasksRepository,
    private readonly runner: TasksRunner,
  ) {}

  /** Looks for the tasks that were noted, after the commit. */
  wake(): void {
    this.runner.wake();
  }

  /**
   * Notes users whose memberships of a group have moved, if a rule names that group. The rules of a directory are about
   * its own users: an unmanaged user, or one of another directory, may be a member and gets no role by it. A task that
   * the request does at once is reserved for that long.
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
    if (!(await this.hasRule(tx, directory.tenantId, groupId))) return null;
    const { id } = await this.tasks.add(tx, directory.tenantId, {
      kind: 'role-review',
      payload: { directory_id: directory.id, user_ids: people },
      total: people.length,
      createdBy: directory.actor,
      directoryId: directory.id,
      ...(soon && people.length <= INLINE ? { reservedSeconds: RESERVED_SECONDS } : {}),
    });
    return { task: id, people };
  }

  /** After the commit: settles the roles of a few people before the answer; many are left to the task. */
  async now(directory: CurrentDirectory, review: Review | null, requestId: string): Promise<void> {
    if (review === null) return;
    if (review.people.length > INLINE) {
      this.wake();
      return;
    }
    for (const id of review.people) await this.review(directory, id, requestId);
    await this.tasks.finish(directory.tenantId, review.task);
  }

  private async hasRule(tx: SqlRunner, tenantId: string, groupId: string): Promise<boolean> {
    const { rows } = await tx.query(`select 1 from group_rules where tenant_id = $1 and group_id = $2 limit 1`, [
      tenantId,
      groupId,
    ]);
    return rows.length > 0;
  }

  private async ownPeople(tx: SqlRunner, directory: CurrentDirectory, ids: string[]): Promise<string[]> {
    const { rows } = await tx.query<{ id: string }>(
      `select id from users where tenant_id = $1 and directory_id = $2 and id = any($3::text[])`,
      [directory.tenantId, directory.id, ids],
    );
    return rows.map((row) => row.id);
  }

  /** Works out again what is in force for one person of the directory. */
  async review(directory: CurrentDirectory, userId: string, requestId: string): Promise<void> {
    try {
      await this.users.reconsider(writeContext(directory, requestId, new Date()), userId);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error; // gone meanwhile: no role to settle
    }
  }
}
