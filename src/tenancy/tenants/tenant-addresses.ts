import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Database } from '../../base/database/database.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { Unauthenticated } from './tenants.errors.js';

const TTL = 900;

/** Returns the base address of SCIM. */
export function scimBaseOf(baseUrl: string): string {
  return `${baseUrl}/scim/v2`;
}

/** The base addresses of tenants. */
@Injectable()
export class TenantAddresses {
  private readonly owners: FreshCache<ReadonlyMap<string, string>>;

  constructor(
    private readonly db: Database,
    private readonly config: Config,
    clock: Clock,
  ) {
    this.owners = new FreshCache(clock, TTL, { capacity: 1, proof: db.feed });
    db.feed.on(['tenant_addresses'], () => this.owners.drop());
  }

  async of(tenantId: string): Promise<string> {
    for (const [host, owner] of await this.all()) if (owner === tenantId) return `https://${host}`;
    return this.config.baseUrl;
  }

  /** The address of the installation, and that of the tenant where it has one. */
  async allOf(tenantId: string): Promise<string[]> {
    return [...new Set([this.config.baseUrl, await this.of(tenantId)])];
  }

  /** @throws {Unauthenticated} as for an unknown credential, at the address of another tenant */
  async demandOwn(req: { headers: { host?: string | undefined } }, tenantId: string): Promise<void> {
    const owners = await this.all();
    if (owners.size === 0) return;
    const owner = owners.get((req.headers.host ?? '').toLowerCase());
    if (owner !== undefined && owner !== tenantId) throw new Unauthenticated('invalid');
  }

  async has(host: string): Promise<boolean> {
    return (await this.all()).has(host.toLowerCase());
  }

  /** Resolves when no process uses the values before a change made here. */
  forget(): Promise<void> {
    this.owners.drop();
    return this.db.feed.settled();
  }

  private all(): Promise<ReadonlyMap<string, string>> {
    return this.owners.get('', async () => {
      const { rows } = await this.db.query<{ tenant_id: string; base_url: string }>(
        `select tenant_id, base_url from tenant_addresses`,
      );
      return new Map(rows.map(({ tenant_id, base_url }) => [new URL(base_url).host, tenant_id]));
    });
  }
}
