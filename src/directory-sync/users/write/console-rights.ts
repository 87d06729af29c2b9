import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import { ApiKeysService } from '../../../tenancy/tenants/api-keys.service.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { IdentityStep, RightStep } from '../console-rights.rules.js';

/** Tells who gets and loses rights of administration: a line of the audit log and an event, in the statement of the write. */
@Injectable()
export class ConsoleRights {
  constructor(
    private readonly audit: AuditService,
    private readonly events: EventRecorder,
    private readonly keys: ApiKeysService,
  ) {}

  /**
   * Adds the lines and events of one user to the statement that changes the user.
   *
   * @param about `remains`: whether the user is active afterwards
   * @param db where the statement will run, if that is a transaction
   */
  async addTo(
    statement: WriteStatement,
    about: {
      tenantId: string;
      userId: string;
      steps: readonly (RightStep | IdentityStep)[];
      source: ChangeSource;
      remains: boolean;
    },
    db?: SqlRunner,
  ): Promise<void> {
    const { tenantId, userId, source } = about;
    for (const { event, ...step } of about.steps) {
      const isLost = event === 'administrator.removed';
      const goingOn = isLost ? await this.keys.goingOn(tenantId, [userId], about.remains, db) : null;
      const right = { ...step, ...(goingOn === null ? {} : { keys: goingOn.get(userId)! }) };
      this.audit.addTo(statement, {
        tenantId,
        actor: source.actor,
        requestId: source.request_id,
        action: event,
        targetType: 'user',
        targetId: userId,
        ...(isLost ? { before: right, after: null } : { before: null, after: right }),
      });
      const data = JSON.stringify({ user_id: userId, ...right });
      await this.events.addTo(statement, tenantId, { event, record: userId, data }, db);
    }
  }
}
