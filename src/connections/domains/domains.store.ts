import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { FreshCache } from '../../base/fresh-cache.js';

/** Whose a verified domain is, and through which connection its people sign in; null: not said. */
export interface DomainOwner {
  tenantId: string;
  connectionId: string | null;
}

const TTL = 800;

/** Verified domains as sign-ins use them. Domains come normalised (`domainOf`). */
@Injectable()
export class DomainsStore {
  private readonly owners: FreshCache<DomainOwner | null>;

  constructor(
    private readonly db: Database,
    clock: Clock,
  ) {
    this.owners = new FreshCache(clock, TTL);
  }

  /**
   * Whose a domain is, if anybody has verified it; less than a second old. A domain whose record is gone since a few
   * days still leads its people to their IdP.
   */
  owner(domain: string): Promise<DomainOwner | null> {
    return this.owners.get(domain, async () => {
      const { rows } = await this.db.query<{ tenant_id: string; connection_id: string | null }>(
        `select v.tenant_id, d.connection_id from verified_domains v
         join domains d on d.tenant_id = v.tenant_id and d.domain = v.domain where v.domain = $1`,
        [domain],
      );
      const row = rows[0];
      return row === undefined ? null : { tenantId: row.tenant_id, connectionId: row.connection_id };
    });
  }

  /**
   * Whether an e-mail in this domain, said by this connection, may be believed to be a person of this tenant: the
   * domain is verified for the tenant, its record is not lost, and it is bound to this connection, or it is bound to none
   * and the tenant has no other enabled connection. Read from the database each time: it decides who somebody is. In a
   * transaction, the domain stays so until that ends.
   */
  async isOwned(tenantId: string, domain: string, connectionId: string, tx?: SqlRunner): Promise<boolean> {
    const sql = ownedDomain('$1', '$2', '$3', tx !== undefined);
    const { rowCount } = await (tx ?? this.db).query(sql, [tenantId, domain, connectionId]);
    return rowCount === 1;
  }

  /** After a change made here. */
  forget(): void {
    this.owners.drop();
  }
}

/**
 * The domain, if `isOwned` holds for it; with `hold` it stays so until the transaction ends. In: the places of the
 * tenant, the domain and the connection among the parameters.
 */
export function ownedDomain(tenantId: string, domain: string, connectionId: string, hold = true): string {
  return `select 1 from verified_domains v join domains d on d.tenant_id = v.tenant_id and d.domain = v.domain
    where v.domain = ${domain} and v.tenant_id = ${tenantId} and d.verified_by is not null and d.lost_at is null
      and (d.connection_id = ${connectionId} or d.connection_id is null and not exists (
        select 1 from connections c where c.tenant_id = ${tenantId} and c.id <> ${connectionId} and c.enabled
          and c.deleted_at is null)) ${hold ? 'for share of d' : ''}`;
}
