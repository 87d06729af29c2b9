import { Injectable } from '@nestjs/common';
import { codeOf, Database } from '../../base/database/database.js';
import type { UnitOfWork } from '../../base/database/unit-of-work.js';
import { Conflict, NotFound } from '../../base/errors/domain-error.js';
import type { HeldReason } from '../../identity/person.js';
import type { ChangeSource } from '../../identity/source.js';
import { AuditService, type AuditLine } from '../../tenants/audit/audit.service.js';
import { sourceOf, type Caller } from '../../tenants/caller.js';
import { userNameKey } from '../../scim/text.js';
import { UserDirectoryRepository, type NamedUser } from '../user-directory.repository.js';
import { UsersService } from '../users.service.js';
import { WritingDirectories } from '../writing-directories.js';
import type { WriteContext } from '../write-context.js';

/** Which reasons an admin can set aside; the others go away by themselves when their cause does. */
const RELEASABLE: ReadonlySet<HeldReason> = new Set(['no_seat', 'external_id_taken', 'protected']);

const CAUSE: Partial<Record<HeldReason, string>> = {
  no_email: 'there is no e-mail address; the user goes out by itself when one arrives',
  no_role: 'no role applies yet; the user comes into force when one does',
  email_taken: 'another active user has the e-mail address; it is the platform’s key and cannot be given twice',
};

/** People for whom what was written is not in force: one mechanism, released or discarded in one place. */
@Injectable()
export class HeldService {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly repository: UserDirectoryRepository,
    private readonly directories: WritingDirectories,
    private readonly audit: AuditService,
  ) {}

  /** Puts what was written into force. Throws `Conflict` where the reason is not an admin's to set aside. */
  async release(caller: Caller, userId: string): Promise<NamedUser | null> {
    const row = await this.heldRow(caller.tenantId, userId);
    const reason = row.held!;
    if (!RELEASABLE.has(reason)) {
      throw new Conflict(
        'cannot_be_released',
        `This cannot be released: ${CAUSE[reason] ?? 'its cause still stands'}.`,
      );
    }
    const source = sourceOf(caller);
    const context = await this.contextOf(caller.tenantId, row, source);
    const also = (tx: UnitOfWork) => this.audit.addTo(tx, this.line(caller, row, 'released'));
    if (row.gone) await this.users.remove({ ...context, door: 'api' }, row.id, everybody, nothing, { also });
    else await this.users.reconsider(context, userId, { released: reason, also });
    return (await this.repository.one(caller.tenantId, userId)) ?? null;
  }

  /** Forgets what was written: what is in force stays so, until something else is written. */
  async discard(caller: Caller, userId: string): Promise<NamedUser> {
    const row = await this.heldRow(caller.tenantId, userId);
    await this.undo(caller, row).catch((error: unknown) => {
      if (codeOf(error) !== '23505') throw error;
      throw new Conflict('user_name_taken', 'The name of the deleted user has been given to somebody else meanwhile.');
    });
    return (await this.repository.one(caller.tenantId, userId))!;
  }

  private undo(caller: Caller, row: NamedUser): Promise<void> {
    return this.db.transaction(caller.tenantId, async (tx) => {
      const { rowCount } = await tx.query(
        `update users set held = null, held_since = null, gone_at = null, user_name_key = $4, version = version + 1,
           seat = case seat when 'waiting' then 'none' else seat end, waiting_since = null
         where tenant_id = $1 and id = $2 and version = $3`,
        [caller.tenantId, row.id, row.version, userNameKey(row.user_name)],
      );
      if (rowCount === 0)
        throw new Conflict('changed_meanwhile', 'The user was changed at the same moment; look again.');
      if (row.gone) {
        await tx.query(`insert into population_steps (tenant_id, owner, step) values ($1, $2, 1)`, [
          caller.tenantId,
          row.directory_id ?? '',
        ]);
      }
      await this.audit.record(tx, this.line(caller, row, 'discarded'));
    });
  }

  private async heldRow(tenantId: string, userId: string): Promise<NamedUser> {
    const row = await this.repository.one(tenantId, userId);
    if (!row || row.held === null) throw new NotFound('held user');
    return row;
  }

  private async contextOf(tenantId: string, row: NamedUser, source: ChangeSource): Promise<WriteContext> {
    const directory = row.directory_id === null ? null : await this.directories.get(tenantId, row.directory_id);
    return {
      tenantId,
      door: row.directory_id === null ? row.source : 'scim',
      directory,
      source,
      receivedAt: new Date(),
    };
  }

  private line(caller: Caller, row: NamedUser, what: 'released' | 'discarded'): AuditLine {
    return {
      tenantId: caller.tenantId,
      actor: caller.actor,
      action: `held.${what}`,
      targetType: 'user',
      targetId: row.id,
      before: { held: row.held },
      after: { held: null },
      requestId: caller.requestId,
    };
  }
}

const everybody = () => true;
const nothing = () => undefined;
