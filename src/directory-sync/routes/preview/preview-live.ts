import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { Trigger } from '../../../tenancy/identity/cause.rules.js';
import { LeftOutRepository } from '../../../engine/work/tasks.repository.js';
import { draftOf, type UserDocument } from '../../users/user.mapping.js';
import type { UserRow } from '../../users/user.row.js';
import { Taken } from '../../users/users.errors.js';
import { UsersService } from '../../users/write/users.service.js';
import type { WriteContext, WritingDirectory } from '../../users/write/write-context.js';
import { KeptWritesRepository, type KeptWrite } from '../../users/kept-writes.repository.js';

const BATCH = 100;
const LIVE: Trigger = { kind: 'live' };

type LiveContext = WriteContext & { directory: WritingDirectory };

/** Applies the writes and removals that a directory has stored in preview for users of other owners. */
@Injectable()
export class PreviewLive {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly writes: KeptWritesRepository,
    private readonly leftOut: LeftOutRepository,
  ) {}

  /**
   * Processes one batch. Processed users are not found again, so a repeated batch does no harm.
   *
   * @returns how many users were handled; 0: nothing is left
   */
  async step(taskId: string, context: LiveContext): Promise<number> {
    const { tenantId, directory } = context;
    const removed = await this.removed(tenantId, directory.id);
    for (const id of removed) await this.ifThere(() => this.remove(context, id));
    const writes = await this.writes.list(tenantId, directory.id, BATCH);
    for (const write of writes) {
      await this.ifThere(() => this.apply(taskId, context, write));
      await this.writes.dropApplied({ tenantId, directoryId: directory.id, userId: write.user_id });
    }
    return removed.length + writes.length;
  }

  /** Counts the users for whom something is stored. */
  async count(tenantId: string, directoryId: string): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(
      `select (select count(*) from users where tenant_id = $1 and directory_id = $2 and held = 'preview' and gone_at is not null)::int
         + (select count(*) from preview_writes o where o.tenant_id = $1 and o.directory_id = $2
             and not exists (select 1 from users k where k.tenant_id = $1 and k.id = o.user_id and k.kept_for = $2))::int as n`,
      [tenantId, directoryId],
    );
    return rows[0]!.n;
  }

  private async apply(taskId: string, context: LiveContext, write: KeptWrite): Promise<void> {
    const { tenantId, directory } = context;
    const isOthers = (row: UserRow): boolean => row.directory_id === null || row.directory_id === directory.takesOver;
    const isSeen = (row: UserRow): boolean => isOthers(row) || row.directory_id === directory.id;
    // A user whom the directory has linked since stays: that write is newer than the removal.
    if (write.doc === null) return this.users.remove(context, write.user_id, { visible: isOthers, trigger: LIVE });
    const draft = draftOf(JSON.parse(write.doc) as UserDocument, directory.attributeMap);
    const source = { ...context.source, request_id: write.source.request_id };
    try {
      await this.users.change({ ...context, source, mayWait: true }, write.user_id, isSeen, (row) =>
        // The directory has linked the user meanwhile by a newer write.
        row.directory_id === directory.id
          ? null
          : { kind: 'link', draft, directoryId: directory.id, by: write.linked_by, trigger: LIVE },
      );
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
      const detail = `The user ${error.holderId} has the userName that the directory wrote.`;
      const item = { user_id: write.user_id, user_name: draft.userName };
      await this.leftOut.add(tenantId, taskId, { id: write.user_id, item, reason: error.code, detail });
    }
  }

  private remove(context: LiveContext, id: string): Promise<void> {
    const own = (row: UserRow): boolean => row.directory_id === context.directory.id;
    return this.users.remove(context, id, { visible: own, ofGone: true, trigger: LIVE });
  }

  /** Returns users of the directory whose removal was held because of the preview. */
  private async removed(tenantId: string, directoryId: string): Promise<string[]> {
    const { rows } = await this.db.query<{ id: string }>(
      `select id from users where tenant_id = $1 and directory_id = $2 and held = 'preview' and gone_at is not null
       order by id limit ${BATCH}`,
      [tenantId, directoryId],
    );
    return rows.map((row) => row.id);
  }

  private async ifThere(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NotFound)) throw error; // The user was removed meanwhile, or belongs to another directory now.
    }
  }
}
