import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { SessionEndings } from '../../../tenancy/sessions/session-endings.repository.js';
import type { EndedSession } from '../../../tenancy/sessions/session.js';
import { IdpLogouts, type EndedAtIdp, UsedMessages } from '../../../tenancy/sessions/sessions.repository.js';
import type { Connection } from '../../connections/connection.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';

/** Ends the sessions that an IdP has ended, and remembers the logout for sign-ins in transit. */
@Injectable()
export class IdpEndings {
  constructor(
    private readonly db: Database,
    private readonly messages: UsedMessages,
    private readonly idpLogouts: IdpLogouts,
    private readonly sessions: SessionEndings,
  ) {}

  /** Ends the sessions; returns them. */
  run(tenantId: string, connectionId: string, ended: EndedAtIdp): Promise<EndedSession[]> {
    return this.db.transaction(tenantId, (tx) => this.runIn(tx, tenantId, connectionId, ended));
  }

  /**
   * Ends the sessions by a message that counts once. The message is used up in the transaction of its effect, so that an
   * IdP can send it again after a failure.
   *
   * @throws {SignInRefused} `replayed`
   */
  once({ tenantId, id }: Connection, once: { id: string; until: Date }, ended: EndedAtIdp): Promise<EndedSession[]> {
    return this.db.transaction(tenantId, async (tx) => {
      if (!(await this.messages.use(tenantId, id, `logout ${once.id}`, once.until, tx))) {
        throw new SignInRefused('replayed', 'this logout message was used before');
      }
      return this.runIn(tx, tenantId, id, ended);
    });
  }

  private async runIn(tx: SqlRunner, tenantId: string, id: string, ended: EndedAtIdp): Promise<EndedSession[]> {
    await this.idpLogouts.note(tx, tenantId, id, ended);
    return this.sessions.endByIdp(tx, tenantId, id, ended.subject, ended.idpSessions);
  }
}
