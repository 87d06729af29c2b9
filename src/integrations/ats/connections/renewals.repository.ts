import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { AtsSecrets } from './ats-secrets.js';
import { SERVER } from './server-name.js';
import type { Credential } from '../api/credential.js';

/** Longer than a renewal can take. */
const LEASE_SECONDS = 30;

/** The connections whose grants nothing has used for long, as SQL. */
export const DUE_RENEWALS = `select c.tenant_id, c.id, c.renew_at as since, ${SERVER} as server
  from ats_connections c where c.renew_at <= now()`;

/** The lease of a renewal: at most one process renews a grant, since a refresh token works once. */
@Injectable()
export class RenewalsRepository {
  constructor(
    private readonly db: Database,
    private readonly secrets: AtsSecrets,
  ) {}

  /** Takes the lease. @returns its holder, or null while another one has it */
  async take(tenantId: string, id: string): Promise<string | null> {
    const holder = randomUUID();
    const { rowCount } = await this.db.query(
      `insert into ats_renewals as r (tenant_id, connection_id, holder, until)
       select $1, $2, $3, now() + make_interval(secs => ${LEASE_SECONDS})
       where exists (select 1 from ats_connections where tenant_id = $1 and id = $2)
       on conflict (tenant_id, connection_id) do update set holder = excluded.holder, until = excluded.until
       where r.until <= now()`,
      [tenantId, id, holder],
    );
    return rowCount === 1 ? holder : null;
  }

  /** Returns the credential as the database has it. */
  async credential(tenantId: string, id: string): Promise<Credential | null> {
    const { rows } = await this.db.query<{ credential_sealed: string | null }>(
      `select credential_sealed from ats_connections where tenant_id = $1 and id = $2`,
      [tenantId, id],
    );
    return this.secrets.openCredential(tenantId, id, rows[0]?.credential_sealed ?? null);
  }

  /**
   * Stores a renewed credential, and returns the lease.
   *
   * @param renewAt when it is renewed if nothing uses it
   * @returns false when the lease was lost, or the connection has another credential by now
   */
  async store(
    tenantId: string,
    id: string,
    holder: string,
    credential: Credential,
    renewAt: Date | null,
  ): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `with held as (delete from ats_renewals where tenant_id = $1 and connection_id = $2 and holder = $3 returning 1)
       update ats_connections set credential_sealed = $4, renew_at = $5, updated_at = now()
       where tenant_id = $1 and id = $2 and credential_sealed is not null and exists (select 1 from held)`,
      [tenantId, id, holder, this.secrets.sealCredential(tenantId, id, credential), renewAt],
    );
    return rowCount === 1;
  }

  /** Returns the lease. */
  async release(tenantId: string, id: string, holder: string): Promise<void> {
    await this.db.query(`delete from ats_renewals where tenant_id = $1 and connection_id = $2 and holder = $3`, [
      tenantId,
      id,
      holder,
    ]);
  }

  /** Puts off the renewal of a grant that nothing uses. */
  async putOff(tenantId: string, id: string): Promise<void> {
    await this.db.query(
      `update ats_connections set renew_at = now() + interval '1 hour'
       where tenant_id = $1 and id = $2 and renew_at <= now()`,
      [tenantId, id],
    );
  }
}
