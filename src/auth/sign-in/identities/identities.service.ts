import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { PageRequest } from '../../../base/http/page.js';
import { type AuditBy, AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { SessionEndings } from '../../../tenancy/sessions/session-endings.repository.js';
import type { ForgottenSubjectsBody, PersonIdentityBody } from './identities.dto.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import { IdentitiesRepository, linkable, type ConnectionIdentity } from './identities.repository.js';

/** Bindings of IdP subjects to users, as administrators list and end them. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly db: Database,
    private readonly repository: IdentitiesRepository,
    private readonly bindings: BindingsRepository,
    private readonly sessions: SessionEndings,
    private readonly connections: ConnectionsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Lists the bindings of a user.
   *
   * @throws {NotFound} when the tenant never had such a user
   */
  async ofPerson(tenantId: string, userId: string): Promise<PersonIdentityBody[]> {
    const rows = await this.repository.ofPerson(tenantId, userId);
    if (rows.length === 0 && !(await this.repository.isPerson(tenantId, userId))) throw new NotFound('user');
    return rows;
  }

  /**
   * Lists the bindings of a connection.
   *
   * @throws {NotFound} when the tenant has no such connection
   */
  async ofConnection(
    tenantId: string,
    connectionId: string,
    ended: boolean | null,
    page: PageRequest,
  ): Promise<ConnectionIdentity[]> {
    await this.connections.demand(tenantId, connectionId);
    return this.repository.ofConnection(tenantId, connectionId, ended, page);
  }

  /**
   * Ends the bindings of a connection whose users the next sign-in can find again, for an IdP that now sends other
   * subjects (another NameID format, another application). Sessions stay, and so do the bindings of deleted users.
   *
   * @throws {NotFound} when the tenant has no such connection
   */
  forgetSubjects(by: AuditBy, connectionId: string, dryRun: boolean): Promise<ForgottenSubjectsBody> {
    const { tenantId, actor, requestId } = by;
    return this.db.transaction(tenantId, async (tx) => {
      // Waits for concurrent sign-ins, which hold the connection.
      const { directory_id: directory } = await this.connections.demand(tenantId, connectionId, tx, true);
      const { forgettable, others } = await this.repository.countForgettable(tx, tenantId, connectionId, directory);
      const result = { connection_id: connectionId, dry_run: dryRun, forgotten: forgettable, kept: others };
      if (dryRun) return result;
      const which = linkable(tenantId, connectionId, directory);
      const forgotten = await this.bindings.endReleased(tx, tenantId, connectionId, which);
      const line = { tenantId, actor, requestId, targetType: 'connection', targetId: connectionId };
      await this.audit.record(tx, {
        ...line,
        action: 'connection.subjects_forgotten',
        before: undefined,
        after: { forgotten, kept: others },
      });
      return { ...result, forgotten };
    });
  }

  /**
   * Removes the bindings of a user at a connection and ends the sessions through it, so that the next sign-in links
   * anew. The remedy for `bound_to_another` and, for a deleted user, for `account_deleted`.
   *
   * @throws {NotFound} when there is no such binding
   */
  async release(by: AuditBy, userId: string, connectionId: string): Promise<void> {
    await this.db.transaction(by.tenantId, async (tx) => {
      // A concurrent sign-in holds the user: its binding is removed, too.
      const connection = await this.repository.lock(tx, by.tenantId, userId, connectionId);
      const released = await this.bindings.release(tx, by.tenantId, userId, connectionId);
      if (connection === null || released.length === 0) throw new NotFound('identity');
      const ended = await this.sessions.ofUserAt(tx, by.tenantId, userId, connectionId, 'ended_by_admin');
      await this.audit.record(tx, {
        tenantId: by.tenantId,
        actor: by.actor,
        requestId: by.requestId,
        action: 'identity.released',
        targetType: 'user',
        targetId: userId,
        before: { identities: released.map((one) => ({ connection_id: connectionId, connection, ...one })) },
        after: { connection_id: connectionId, sessions_ended: ended },
      });
    });
  }
}
