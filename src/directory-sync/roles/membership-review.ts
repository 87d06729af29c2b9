import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import { UsersService } from '../../users/users.service.js';
import { writeContext, type CurrentDirectory } from '../current-directory.js';

/** People whose roles have to be looked at, and the job that says so. */
export interface Review {
  job: string;
  people: string[];
}

/** Up to so many people a role is settled before the IdP gets its answer; beyond that, right after it. */
const INLINE = 100;

/**
 * Makes roles follow memberships and rules. What is to be reviewed is written in the transaction that moved it, as a
 * job, so that it is done even if this process is gone a moment later.
 */
@Injectable()
export class MembershipReview {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
  ) {}

  /** Set by the worker of the jobs: look for work now. */
  onWork: (() => void) | undefined;

  wake(): void {
    this.onWork?.();
  }

  /**
   * Notes people whose memberships of a group have moved, if a rule speaks of that group. The rules of a directory are
   * about its own people: who is managed by nobody, or by another directory, may be a member and gets no role by it.
   * A job that is about to be done at once is leased for that long.
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
    const id = newId('job');
    const { rowCount } = await tx.query(
      `insert into jobs (tenant_id, id, kind, payload, total, created_by, lease_until)
       select $1, $2, 'role-review', $3::jsonb, $4::int, $5::jsonb, case when $6 then now() + interval '30 seconds' end
       where exists (select 1 from group_rules where tenant_id = $1 and group_id = $7)`,
      [
        directory.tenantId,
        id,
        JSON.stringify({ directory_id: directory.id, user_ids: people }),
        people.length,
        JSON.stringify(directory.actor),
        soon && people.length <= INLINE,
        groupId,
      ],
    );
    return rowCount === 1 ? { job: id, people } : null;
  }

  /** After the commit: settles the roles of a few people before the answer; many are left to the job. */
  async now(directory: CurrentDirectory, review: Review | null, requestId: string): Promise<void> {
    if (review === null) return;
    if (review.people.length > INLINE) {
      this.wake();
      return;
    }
    for (const id of review.people) await this.review(directory, id, requestId);
    await this.db.query(
      `update jobs set state = 'done', done = total, finished_at = now(), lease_until = null where tenant_id = $1 and id = $2`,
      [directory.tenantId, review.job],
    );
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
