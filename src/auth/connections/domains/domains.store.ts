import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { FreshCache } from '../../../base/fresh-cache.js';

/** `connectionId` is null when the domain is bound to no connection. */
interface DomainOwner {
  tenantId: string;
  connectionId: string | null;
}

const TTL = 800;

/** Verified domains as sign-ins use them. Arguments are normalised (`domainOf`). */
@Injectable()
export class DomainsStore {
  private readonly owners: FreshCache<DomainOwner | null>;

  constructor(
    private readonly db: Database,
    clock: Clock,
  ) {
    this.owners = new FreshCache(clock, TTL, { proof: db.feed });
    db.feed.on(['domains', 'verified_domains'], () => this.owners.drop());
  }

  /** Returns null when no tenant has verified the domain. Without its record, a domain still leads its users to their IdP. */
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
   * Whether a connection may vouch for an e-mail in a domain: the domain is verified for the tenant, its record is not lost,
   * and it is bound to this connection, or to none while the tenant has no other enabled connection. Read from the database
   * each time, because it decides an identity. In a transaction, the domain is held until its end.
   */
  async isOwned(tenantId: string, domain: string, connectionId: string, tx?: SqlRunner): Promise<boolean> {
    const sql = ownedDomain('$1', '$2', '$3', tx !== undefined);
    const { rowCount } = await (tx ?? this.db).query(sql, [tenantId, domain, connectionId]);
    return rowCount === 1;
  }

  /** Returns at most five. */
  async verifiedOf(tenantId: string): Promise<string[]> {
    const { rows } = await this.db.query<{ domain: string }>(
      `select domain from domains where tenant_id = $1 and verified_by is not null and lost_at is null
       order by domain limit 5`,
      [tenantId],
    );
    return rows.map(({ domain }) => domain);
  }

  /** Resolves when no process uses the values from before a change. */
  forget(): Promise<void> {
    this.owners.drop();
    return this.db.feed.settled();
  }
}

/**
 * Returns the query that finds a row while `isOwned` holds.
 *
 * @param hold keeps it so until the transaction ends
 * @returns SQL; the arguments are SQL expressions
 */
export function ownedDomain(tenantId: string, domain: string, connectionId: string, hold = true): string {
  return `select 1 from verified_domains v join domains d on d.tenant_id = v.tenant_id and d.domain = v.domain
    where v.domain = ${domain} and v.tenant_id = ${tenantId} and d.verified_by is not null and d.lost_at is null
      and (d.connection_id = ${connectionId} or d.connection_id is null and not exists (
        select 1 from connections c where c.tenant_id = ${tenantId} and c.id <> ${connectionId} and c.enabled
          and c.deleted_at is null)) ${hold ? 'for share of d' : ''}`;
}
