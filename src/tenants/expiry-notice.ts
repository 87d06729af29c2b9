import { Injectable } from '@nestjs/common';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { Background } from '../base/loop.js';

const EVERY_MS = 6 * 3_600_000;
const DAYS = 14;

/** Says in the log which credentials end soon: expired tokens that only show as 401s are the commonest outage. */
@Injectable()
export class ExpiryNotice extends Background {
  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
  ) {
    super(EVERY_MS, 'looking for credentials that expire', logger);
  }

  /** One line for each credential that ends within two weeks and has not been revoked. */
  override async run(): Promise<void> {
    const { rows } = await this.db.query<{ tenant_id: string; kind: string; id: string; expires_at: Date }>(
      `select tenant_id, 'api_key' as kind, id, expires_at from api_keys
         where revoked_at is null and expires_at between now() and now() + $1 * interval '1 day'
       union all
       select tenant_id, 'scim_token', id, expires_at from scim_tokens
         where revoked_at is null and expires_at between now() and now() + $1 * interval '1 day'`,
      [DAYS],
    );
    for (const row of rows) {
      this.logger.warn('credential.expiring', {
        tenant_id: row.tenant_id,
        kind: row.kind,
        credential_id: row.id,
        expires_at: row.expires_at.toISOString(),
      });
    }
  }
}
