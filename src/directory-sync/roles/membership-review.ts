import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import { UsersService } from '../../users/users.service.js';
import { writeContext, type CurrentDirectory } from '../current-directory.js';

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
   * Notes people whose memberships of a group have moved, if a rule speaks of that group. Answers the job, or null.
   * A job that is about to be done at once is leased for that long.
   */
  async note(
    tx: SqlRunner,
    directory: CurrentDirectory,
    groupId: string,
    userIds: string[],
    atOnce = userIds.length <= INLINE,
  ): Promise<string | null> {
    if (!directory.writing.hasRules || userIds.length === 0) return null;
    const id = newId('job');
    const { rowCount } = await tx.query(
      `insert into jobs (tenant_id, id, kind, payload, total, created_by, lease_until)
       select $1, $2, 'role-review', $3::jsonb, $4::int, $5::jsonb, case when $6 then now() + interval '30 seconds' end
       where exists (select 1 from group_rules where tenant_id = $1 and group_id = $7)`,
      [
        directory.tenantId,
        id,
        JSON.stringify({ directory_id: directory.id, user_ids: userIds }),
        userIds.length,
        JSON.stringify(directory.actor),
        atOnce,
        groupId,
      ],
    );
    return rowCount === 1 ? id : null;
  }

  /** After the commit: settles the roles of a few people before the answer; many are left to the job. */
  async now(directory: CurrentDirectory, job: string | null, userIds: string[], requestId: string): Promise<void> {
    if (job === null) return;
    if (userIds.length > INLINE) {
      this.wake();
      return;
    }
    for (const id of userIds) await this.review(directory, id, requestId);
    await this.db.query(
      `update jobs set state = 'done', done = total, finished_at = now(), lease_until = null where tenant_id = $1 and id = $2`,
      [directory.tenantId, job],
    );
  }

  /** Works out again what is in force for one person of the directory. */
  async review(directory: CurrentDirectory, userId: string, requestId: string): Promise<void> {
    try {
      await this.users.reconsider(writeContext(directory, requestId, new Date()), userId);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error; // gone meanwhile, or a group within the group: no role to settle
    }
  }
}
