import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { Logger } from '../../../base/log/logger.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import type { RequestedBy } from '../../../tenancy/tenants/caller.js';
import { ProtectionEnded } from '../../../tenancy/tenants/tenants.events.js';
import { HeldService } from './held.service.js';

const BATCH = 100;

/**
 * Judges users anew who were held as owner or break-glass account once they are neither: what their directory has written
 * takes effect.
 */
@Injectable()
export class FormerProtected {
  constructor(
    private readonly db: Database,
    private readonly held: HeldService,
    private readonly logger: Logger,
    events: DomainEvents,
  ) {
    events.on(ProtectionEnded, ({ by, userIds }) => this.judge(by, userIds));
  }

  /** Judges those whose naming has ended without that: the process was stopped, or their directory wrote at that moment. */
  async judgeAll(): Promise<void> {
    const { rows } = await this.db.query<{ tenant_id: string; id: string }>(
      `select u.tenant_id, u.id from users u join tenants t on t.id = u.tenant_id
       where u.held = 'protected' and u.id is distinct from t.owner_user_id and u.id <> all (t.break_glass)
       order by u.tenant_id, u.id limit ${BATCH}`,
    );
    for (const { tenant_id: tenantId, id } of rows) {
      await this.judge({ tenantId, actor: systemActor('end of protection'), requestId: '' }, [id]);
    }
  }

  private async judge(by: RequestedBy, userIds: readonly string[]): Promise<void> {
    for (const id of userIds) {
      try {
        await this.held.endProtection(by, id);
      } catch (error) {
        // The change of the tenant is committed; the sweep tries again.
        this.logger.error('judging a former protected user failed', { user_id: id, error });
      }
    }
  }
}
