import { Injectable } from '@nestjs/common';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { IntervalWork } from '../base/work/work.js';
import { EventsRepository } from '../engine/events/events.service.js';
import { CREDENTIAL_NOTICE_DAYS, noticeAt } from '../tenancy/tenants/credentials.rules.js';

interface Expiring {
  tenant_id: string;
  kind: 'api_key' | 'scim_token' | 'client_secret';
  id: string;
  directory_id: string | null;
  expires_at: Date;
}

/** Reports credentials that expire soon: an expired token that only shows as 401 is the commonest outage. */
@Injectable()
export class ExpiryNotice extends IntervalWork {
  override readonly kind = 'credentials.expiry';
  override readonly everyMs = 6 * 3_600_000;

  constructor(
    private readonly db: Database,
    private readonly events: EventsRepository,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** Reports each live credential that expires within 30 days; events once for each mark. */
  override async run(): Promise<void> {
    const { rows } = await this.db.query<Expiring>(
      `select tenant_id, 'api_key' as kind, id, null as directory_id, expires_at from api_keys
         where revoked_at is null and expires_at between now() and now() + $1 * interval '1 day'
       union all
       select tenant_id, 'scim_token', id, directory_id, expires_at from scim_tokens
         where revoked_at is null and expires_at between now() and now() + $1 * interval '1 day'
       union all
       select s.tenant_id, 'client_secret', s.id, c.directory_id, s.expires_at
         from client_secrets s join directory_clients c on c.tenant_id = s.tenant_id and c.id = s.client_id
         where s.revoked_at is null and c.revoked_at is null
           and s.expires_at between now() and now() + $1 * interval '1 day'`,
      [CREDENTIAL_NOTICE_DAYS[0]],
    );
    for (const row of rows) await this.record(row);
  }

  private async record({ tenant_id: tenantId, kind, id, directory_id, expires_at }: Expiring): Promise<void> {
    const about = { kind, credential_id: id, expires_at: expires_at.toISOString() };
    this.logger.warn('credential.expiring', { tenant_id: tenantId, ...about });
    const days = noticeAt(expires_at, new Date());
    if (days === null) return;
    const data = { ...about, directory_id, days };
    await this.events.record(tenantId, [{ event: 'credential.expiring', data, threshold: `${id} ${days}` }]);
  }
}
