import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { AllowedNetworks } from '../../base/http/allowed-networks.js';
import { Buckets, limitRate, RateLimiter, showAllowance } from '../../base/http/rate-limit.js';
import type { DirectorySettings } from './directories.repository.js';
import { declaredOf, guardOf, type Directory } from './directory.js';

interface StoredDirectory extends DirectorySettings {
  superseded_by: string | null;
  has_successor: boolean;
  rule_roles: string[];
  keeps_writes: boolean;
  first_day_from_ms: number;
  base_url: string | null;
}

export type { Directory } from './directory.js';

const TTL = 900;

/** Multiples of the allowance of one credential. A first sync of 10 000 users is one burst without a wait. */
const FIRST_SYNC_RATE = 5;
const FIRST_SYNC_BURST = 100;
const FIRST_DAY_MS = 24 * 3_600_000;

/**
 * Caches directories for SCIM requests, and limits their requests.
 *
 * A directory has a larger allowance on its first day, when an IdP sends all of its users.
 */
@Injectable()
export class DirectoryStore {
  private readonly cache: FreshCache<Directory>;
  /** By tenant: its new directories share one allowance, because they share the database. */
  private readonly firstSyncs: Buckets;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    config: Config,
    private readonly limiter: RateLimiter,
  ) {
    this.cache = new FreshCache(clock, TTL, { proof: db.feed });
    // All directories of the tenant: a take-over changes another directory too.
    db.feed.on(['directories', 'group_rules', 'tenants'], (row) =>
      this.cache.dropAll(row === null ? '' : `${row.tenantId} `),
    );

    const perSecond = config.rateLimit ?? 1;
    this.firstSyncs = new Buckets(perSecond * FIRST_SYNC_RATE, perSecond * FIRST_SYNC_BURST, clock);
  }

  /** @throws {NotFound} when the tenant has no such directory */
  get(tenantId: string, directoryId: string): Promise<Directory> {
    return this.cache.get(`${tenantId} ${directoryId}`, () => this.load(tenantId, directoryId));
  }

  /** Resolves when no process uses the values before a change made here. */
  forget(): Promise<void> {
    this.cache.drop();
    return this.db.feed.settled();
  }

  async fresh(tenantId: string, directoryId: string): Promise<Directory | null> {
    return this.load(tenantId, directoryId).catch((error: unknown) => {
      if (error instanceof NotFound) return null;
      throw error;
    });
  }

  /**
   * Stores that writes of a directory wait for an administrator: from now on the directory reads users through them.
   */
  async noteKept(tx: SqlRunner, tenantId: string, id: string): Promise<void> {
    // Only the first of these writes changes the row and notifies all processes.
    await tx.query(`update directories set keeps_writes = true where tenant_id = $1 and id = $2 and not keeps_writes`, [
      tenantId,
      id,
    ]);
  }

  private async load(tenantId: string, id: string): Promise<Directory> {
    const { rows } = await this.db.query<StoredDirectory>(
      `select d.name, d.profile, d.state, d.default_role, d.attribute_map, d.on_match, d.takes_over,
         d.replace_creates_missing, d.may_grant_console, d.guard, d.allow_from, d.custom_attributes,
         extract(epoch from d.first_day_from)::float8 * 1000 as first_day_from_ms,
         (select t.base_url from tenants t where t.id = $1) as base_url,
         (select min(o.id) from directories o where o.tenant_id = d.tenant_id and o.takes_over = d.id
            and o.deleted_at is null and o.state = 'live') as superseded_by,
         exists (select 1 from directories o where o.tenant_id = d.tenant_id and o.takes_over = d.id
           and o.deleted_at is null) as has_successor,
         array(select distinct r.role from group_rules r where r.tenant_id = d.tenant_id and r.directory_id = d.id) as rule_roles, d.keeps_writes
       from directories d where d.tenant_id = $1 and d.id = $2 and d.deleted_at is null`,
      [tenantId, id],
    );
    const row = rows[0];
    if (row === undefined) throw new NotFound('directory');
    return {
      tenantId,
      id,
      name: row.name,
      profile: row.profile,
      state: row.state,
      defaultRole: row.default_role,
      attributeMap: row.attribute_map,
      onMatch: row.on_match,
      takesOver: row.takes_over,
      superseded: row.superseded_by !== null,
      supersededBy: row.superseded_by,
      hasSuccessor: row.has_successor,
      replaceCreatesMissing: row.replace_creates_missing,
      guard: guardOf(row.guard),
      hasRules: row.rule_roles.length > 0,
      ruleRoles: row.rule_roles,
      keepsWrites: row.keeps_writes,
      mayGrantConsole: row.may_grant_console,
      networks: new AllowedNetworks(row.allow_from),
      customAttributes: declaredOf(row.custom_attributes),
      firstDayFrom: row.first_day_from_ms,
      baseUrl: row.base_url,
    };
  }

  /**
   * `firstDayFrom` is in milliseconds since 1970.
   *
   * @throws {TooManyRequests} when the allowance is used up
   */
  takeRequest(
    res: ServerResponse,
    credentialId: string,
    { tenantId, firstDayFrom }: { readonly tenantId: string; readonly firstDayFrom: number },
  ): void {
    if (!this.limiter.enabled) return;
    if (this.clock.now().getTime() - firstDayFrom >= FIRST_DAY_MS) limitRate(this.limiter, res, credentialId, tenantId);
    else showAllowance(res, this.firstSyncs.take(tenantId));
  }
}
