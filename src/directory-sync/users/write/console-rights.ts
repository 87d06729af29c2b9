import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import type { ChangeSource } from '../../../tenancy/identity/source.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { IdentityStep, RightStep } from '../console-rights.rules.js';

/** Tells who gets and loses rights of administration: a line of the audit log and an event, in the statement of the write. */
@Injectable()
export class ConsoleRights {
  constructor(
    private readonly audit: AuditService,
    private readonly events: EventRecorder,
  ) {}

  /**
   * Adds the lines and events of one user to the statement that changes the user.
   *
   * @param db where the statement will run, if that is a transaction
   */
  async addTo(
    statement: WriteStatement,
    about: { tenantId: string; userId: string; steps: readonly (RightStep | IdentityStep)[]; source: ChangeSource },
    db?: SqlRunner,
  ): Promise<void> {
    const { tenantId, userId, source } = about;
    for (const { event, ...right } of about.steps) {
      this.audit.addTo(statement, {
        tenantId,
        actor: source.actor,
        requestId: source.request_id,
        action: event,
        targetType: 'user',
        targetId: userId,
        ...(event === 'administrator.removed' ? { before: right, after: null } : { before: null, after: right }),
      });
      const data = JSON.stringify({ user_id: userId, ...right });
      await this.events.addTo(statement, tenantId, { event, record: userId, data }, db);
    }
  }
}
