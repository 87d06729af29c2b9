import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import type { Directory } from '../../directories/directory.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import type { UnlinkedUserBody } from './unlinked.dto.js';
import { consoleRight } from '../../../tenancy/tenants/administrators.js';
import type { HeldCount } from '../../users/held/held.dto.js';

/** An active user whom a replaced directory still manages. */
export type UnlinkedUserRow = Omit<UnlinkedUserBody, 'updated_at'> & { updated_at: Date };

/** A live directory that has taken over another one. */
export type Successor = Directory & { takesOver: string };

/** Which unlinked users a task is about: those of a list, else all. */
export interface UnlinkedChoice {
  user_ids?: string[] | undefined;
}

// `users_active` finds the active users of a directory in the order of their ids.
const MATCHES = `u.tenant_id = $1 and u.directory_id = $2 and u.status = 'active'
  and ($3::text[] is null or u.id = any($3))`;

/** Active users whom a replaced directory still manages, since its successor has not linked them. */
@Injectable()
export class UnlinkedUsers {
  constructor(
    private readonly db: Database,
    private readonly directories: DirectoryStore,
    private readonly tasks: TasksRepository,
  ) {}

  /**
   * Returns the directory, if it has taken over another one; null: it takes over none.
   *
   * @throws {NotFound} when the tenant has no such directory
   * @throws {Conflict} `no_take_over` while it is in preview; `going_live` while it still links users
   */
  async successor(tenantId: string, directoryId: string): Promise<Successor | null> {
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

  /** Returns at most `limit` users after a user, in the order of their ids. */
  async list(
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

  async count({ tenantId, takesOver }: Successor, { user_ids: ids }: UnlinkedChoice): Promise<HeldCount> {
    const { rows } = await this.db.query<HeldCount>(
      `select count(*)::int as count, (count(*) filter (
         where ${consoleRight('$1::text', 'u.id', 'u.role')} <> 'none'))::int as administrators from users u where ${MATCHES}`,
      [tenantId, takesOver, ids ?? null],
    );
    return rows[0]!;
  }
}
