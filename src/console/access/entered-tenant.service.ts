import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { TenantStore } from '../../tenancy/tenants/tenant.store.js';
import { NoConsoleSession } from './console-access.errors.js';
import type { EnteredBody } from './console-access.dto.js';
import { ENTERED_SECONDS } from './console-lifetimes.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';
import { ConsoleSessionsStore } from './console-sessions.store.js';

/** The operator enters and leaves tenants: both are in the audit log of the tenant. */
@Injectable()
export class EnteredTenantService {
  constructor(
    private readonly db: Database,
    private readonly repository: ConsoleSessionsRepository,
    private readonly store: ConsoleSessionsStore,
    private readonly tenants: TenantStore,
    private readonly audit: AuditService,
  ) {}

  /**
   * @throws {NoConsoleSession} for a caller with the operator's token
   * @throws {NotFound} when there is no such tenant
   */
  async enter(caller: Caller, tenantId: string, reason: string): Promise<EnteredBody> {
    const id = sessionOf(caller);
    const { name } = await this.tenants.get(tenantId);
    const until = await this.db.transaction(tenantId, async (tx) => {
      const end = await this.repository.enter(tx, id, tenantId, ENTERED_SECONDS);
      await this.audit.record(tx, { ...lineOf(caller, tenantId, 'tenant.entered'), after: { reason, until: end } });
      return end;
    });
    await this.store.forget(id);
    return { tenant: { id: tenantId, name }, entered_until: until };
  }

  /**
   * @throws {NoConsoleSession} for a caller with the operator's token
   * @throws {NotFound} when the session has not entered this tenant
   */
  async leave(caller: Caller, tenantId: string): Promise<void> {
    const id = sessionOf(caller);
    await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.repository.leave(tx, id, tenantId))) throw new NotFound('entered tenant');
      await this.audit.record(tx, lineOf(caller, tenantId, 'tenant.left'));
    });
    await this.store.forget(id);
  }
}

function sessionOf({ console }: Caller): string {
  if (console === undefined) throw new NoConsoleSession();
  return console.id;
}

function lineOf({ actor, requestId }: Caller, tenantId: string, action: 'tenant.entered' | 'tenant.left') {
  return { tenantId, actor, requestId, action, targetType: 'tenant', targetId: tenantId };
}
