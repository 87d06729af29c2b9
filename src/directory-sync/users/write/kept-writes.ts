import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { KeptWritesRepository, type KeptPlace, type KeptWrite } from '../kept-writes.repository.js';
import type { UserDraft } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import type { UserWithGroups } from '../users.repository.js';
import type { IdentityField } from './authority.rules.js';
import type { WriteContext } from './write-case.js';

interface Waiting {
  draft: UserDraft | null;
  by: LinkedBy;
  /** The changed identity; empty when the write links or removes a user of another owner. */
  fields: readonly IdentityField[];
}

/**
 * Writes of directories about users whose rights they may not give. The directory gets an ordinary answer, and reads
 * its write back. The user stays unchanged until an administrator releases or discards the write.
 */
@Injectable()
export class KeptWrites {
  constructor(
    private readonly db: Database,
    private readonly repository: KeptWritesRepository,
    private readonly directories: DirectoryStore,
    private readonly audit: AuditService,
  ) {}

  /** Returns a user as the writing directory reads it: with its waiting write, if there is one. */
  async asWritten(ctx: WriteContext, row: UserWithGroups, db: SqlRunner = this.db): Promise<UserWithGroups> {
    if (ctx.channel !== 'scim' || !isKeptFor(ctx, row)) return row;
    const kept = await this.repository.find(placeOf(ctx, row), db);
    if (kept === undefined) return row;
    if (kept.doc === null) throw new NotFound('user');
    return { ...row, doc: kept.doc, revision: kept.revision };
  }

  /** Returns the write that waits for an administrator; the row of the user has `kept_for`. */
  find(
    tenantId: string,
    { id, kept_for: directoryId }: UserRow,
    db: SqlRunner = this.db,
  ): Promise<KeptWrite | undefined> {
    return this.repository.find({ tenantId, directoryId: directoryId!, userId: id }, db);
  }

  /** Stores a write, in place of an earlier one of the directory. The row of the user is locked and has `kept_for`. */
  async keep(tx: SqlRunner, ctx: WriteContext, { id }: UserRow, { draft, by, fields }: Waiting): Promise<void> {
    const { tenantId, source } = ctx;
    const directory = ctx.directory!;
    const place: KeptPlace = { tenantId, directoryId: directory.id, userId: id };
    const known = await this.repository.find(place, tx);
    await this.repository.put(place, known?.version ?? 0, draft, by, source, tx);
    await this.directories.noteKept(tx, tenantId, directory.id);
    const what = fields.length > 0 ? { fields } : draft === null ? { removes: true } : { link: by };
    await this.audit.record(tx, {
      tenantId,
      actor: source.actor,
      requestId: source.request_id,
      action: 'held.needs_admin',
      targetType: 'user',
      targetId: id,
      after: { directory_id: directory.id, ...what },
    });
  }

  mark(tx: SqlRunner, ctx: WriteContext, { id }: UserRow): Promise<void> {
    return this.repository.mark(tx, { tenantId: ctx.tenantId, directoryId: ctx.directory!.id, userId: id });
  }

  /** After the commit: resolves when every process reads the users of the directory through the write. */
  async settled({ directory }: WriteContext, row: UserRow): Promise<void> {
    if (directory !== null && row.kept_for === directory.id && !directory.keepsWrites) await this.directories.forget();
  }

  async drop(tx: SqlRunner, tenantId: string, { id, kept_for: directoryId }: UserRow): Promise<void> {
    await this.repository.drop({ tenantId, directoryId: directoryId!, userId: id }, tx);
  }
}

/** Returns whether a write of the directory about the user waits for an administrator. */
export function isKeptFor({ directory }: Pick<WriteContext, 'directory'>, { kept_for: keptFor }: UserRow): boolean {
  return keptFor !== null && directory?.id === keptFor;
}

/** Returns whether a directory writes to a user that is not its own. */
export function isOthers({ channel, directory }: WriteContext, row: UserRow): boolean {
  return channel === 'scim' && directory !== null && row.directory_id !== directory.id;
}

function placeOf({ tenantId, directory }: WriteContext, { id }: UserRow): KeptPlace {
  return { tenantId, directoryId: directory!.id, userId: id };
}
