import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { sameJson } from '../../../protocols/scim/resource/equal.js';
import type { Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import type { LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import { leaveGroupsOf } from '../../users/groups/memberships.sql.js';
import { KeptWritesRepository, type KeptPlace, type KeptWrite } from '../../users/kept-writes.repository.js';
import type { Relations } from '../../users/user-relations.js';
import { draftOf, type UserDocument, type UserDraft } from '../../users/user.mapping.js';
import type { UserRow } from '../../users/user.row.js';
import { Taken, TooMuchContention } from '../../users/users.errors.js';
import { UsersRepository } from '../../users/users.repository.js';
import { UsersService } from '../../users/write/users.service.js';
import type { WriteContext, WritingDirectory } from '../../users/write/write-case.js';
import { writeContext, type CurrentDirectory } from '../scim-request.js';

interface PreviewEdit {
  requestId: string;
  /** Throws when the version differs from the one that the client saw. */
  check: (row: { revision: number } & Relations) => void;
  next: (before: UserDocument) => UserDocument | null;
}

interface PreviewMatch {
  tx: SqlRunner;
  userId: string;
  by: LinkedBy;
  source: ChangeSource;
}

const ATTEMPTS = 5;

const BATCH = 100;
const LIVE: Trigger = { kind: 'live' };

type LiveContext = WriteContext & { directory: WritingDirectory };

/**
 * Stores writes of a directory in preview to users of other owners, and applies them when the directory goes live.
 *
 * The user stays unchanged; each directory has one overlay for each user. Writes to its own users are ordinary writes.
 */
@Injectable()
export class PreviewEditing {
  constructor(
    private readonly db: Database,
    private readonly users: UsersRepository,
    private readonly writes: KeptWritesRepository,
    private readonly usersService: UsersService,
    private readonly tasks: TasksRepository,
  ) {}

  /**
   * Stores the result of the write as an overlay of the user.
   *
   * @returns false when the user is the directory's own, or the directory is not in preview
   * @throws {NotFound} when the directory does not see the user
   */
  async edit(directory: CurrentDirectory, id: string, { requestId, check, next }: PreviewEdit): Promise<boolean> {
    return this.withRetries(directory, id, check, async (row, place, known) => {
      const before = JSON.parse(known?.doc ?? row.doc) as UserDocument;
      const after = next({ id, ...before });
      if (after === null) return true;
      delete after['id'];
      if (known !== undefined && sameJson(before, after)) return true;
      const draft = draftOf(after, directory.writing.attributeMap);
      const { source } = writeContext(directory, requestId, new Date());
      return this.writes.put(place, known?.version ?? 0, draft, known?.linked_by ?? 'id', source);
    });
  }

  /** Stores that the directory has removed the user; otherwise like {@link edit}. */
  async remove(directory: CurrentDirectory, id: string, edit: Omit<PreviewEdit, 'next'>): Promise<boolean> {
    return this.withRetries(directory, id, edit.check, async (_, place, known) => {
      const { source } = writeContext(directory, edit.requestId, new Date());
      const done = await this.writes.put(place, known?.version ?? 0, null, known?.linked_by ?? 'id', source);
      const { tenantId, directoryId, userId } = place;
      if (done) await this.db.transaction(tenantId, (tx) => leaveGroupsOf(tx, tenantId, directoryId, userId));
      return done;
    });
  }

  /** @throws {Taken} when the directory has written to that user before */
  async keepMatch(directory: CurrentDirectory, draft: UserDraft, match: PreviewMatch): Promise<void> {
    const { tx, userId, by, source } = match;
    const place: KeptPlace = { tenantId: directory.tenantId, directoryId: directory.id, userId };
    const known = await this.writes.find(place, tx);
    const isFree = known === undefined || known.doc === null;
    const isKept = isFree && (await this.writes.put(place, known?.version ?? 0, draft, by, source, tx));
    if (!isKept) throw new Taken('user_name_taken', userId);
  }

  async forget({ tenantId, id }: CurrentDirectory, userId: string, tx: SqlRunner): Promise<void> {
    await this.writes.drop({ tenantId, directoryId: id, userId }, tx);
  }

  private async withRetries(
    directory: CurrentDirectory,
    id: string,
    check: PreviewEdit['check'],
    write: (row: UserRow, place: KeptPlace, known: KeptWrite | undefined) => Promise<boolean>,
  ): Promise<boolean> {
    if (directory.writing.state !== 'preview' || directory.writing.superseded) return false;
    const place: KeptPlace = { tenantId: directory.tenantId, directoryId: directory.id, userId: id };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const row = await this.users.read(directory.tenantId, id, this.db);
      if (row?.directory_id === directory.id) return false;
      const known = await this.writes.find(place);
      const isSeen = row !== undefined && !row.gone && directory.owners.includes(row.directory_id ?? '');
      if (!isSeen || known?.doc === null) throw new NotFound('user');
      check({ ...row, revision: known?.revision ?? row.revision });
      if (await write(row, place, known)) return true;
    }
    throw new TooMuchContention();
  }

  /** Processes one batch, which can be repeated. Returns how many users were handled; 0 when none is left. */
  async step(taskId: string, context: LiveContext): Promise<number> {
    const { tenantId, directory } = context;
    const removed = await this.removed(tenantId, directory.id);
    for (const id of removed) await this.ifThere(() => this.removeLive(context, id));
    const writes = await this.writes.list(tenantId, directory.id, BATCH);
    for (const write of writes) {
      await this.ifThere(() => this.apply(taskId, context, write));
      await this.writes.dropApplied({ tenantId, directoryId: directory.id, userId: write.user_id });
    }
    return removed.length + writes.length;
  }

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
    // A user whom the directory has linked since the removal stays.
    if (write.doc === null)
      return this.usersService.remove(context, write.user_id, { visible: isOthers, trigger: LIVE });
    const draft = draftOf(JSON.parse(write.doc) as UserDocument, directory.attributeMap);
    const source = { ...context.source, request_id: write.source.request_id };
    try {
      await this.usersService.change({ ...context, source, mayWait: true }, write.user_id, isSeen, (row) =>
        // The directory has linked the user by a newer write.
        row.directory_id === directory.id
          ? null
          : { kind: 'link', draft, directoryId: directory.id, by: write.linked_by, trigger: LIVE },
      );
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
      const detail = `The user ${error.holderId} has the userName that the directory wrote.`;
      const item = { user_id: write.user_id, user_name: draft.userName };
      await this.tasks.addLeftOut(tenantId, taskId, { id: write.user_id, item, reason: error.code, detail });
    }
  }

  private removeLive(context: LiveContext, id: string): Promise<void> {
    const own = (row: UserRow): boolean => row.directory_id === context.directory.id;
    return this.usersService.remove(context, id, { visible: own, ofGone: true, trigger: LIVE });
  }

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
      if (!(error instanceof NotFound)) throw error; // The user was removed since, or belongs to another directory now.
    }
  }
}
