import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { AtsSecrets } from './ats-secrets.js';
import type { Credential } from '../api/credential.js';

/** Longer than a renewal can take. */
const LEASE_SECONDS = 30;

/** A connection whose grant is to be kept alive. */
export interface DueRenewal {
  tenant_id: string;
  id: string;
}

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

  /** Takes the grants that nothing has used for long, and puts off the next look. */
  async due(most: number): Promise<DueRenewal[]> {
    const { rows } = await this.db.execute<DueRenewal>(
      `update ats_connections set renew_at = now() + interval '1 hour'
       where (tenant_id, id) in (
         select tenant_id, id from ats_connections where renew_at <= now() order by renew_at limit ${most}
         for update skip locked)
       returning tenant_id, id`,
    );
    return rows;
  }
}
