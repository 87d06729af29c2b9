import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { FreshCache } from '../../base/fresh-cache.js';
import type { ConsoleAccess } from './administrators.js';

/** A role of a tenant's catalogue. */
export interface CatalogueRole {
  readonly takesSeat: boolean;
  readonly console: ConsoleAccess;
}

/** A tenant with the settings that the rooms need. */
export interface TenantView {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string;
  /** Where users get help with signing in: an https or mailto address. */
  readonly helpUrl: string | null;
  readonly ownerUserId: string | null;
  /** Users that no directory can deactivate or remove: the owner and the break-glass accounts. */
  readonly protectedUserIds: ReadonlySet<string>;
  readonly apiMayWriteDirectoryUsers: boolean;
  readonly roles: ReadonlyMap<string, CatalogueRole>;
}

interface TenantRow {
  id: string;
  name: string;
  time_zone: string;
  help_url: string | null;
  owner_user_id: string | null;
  break_glass: string[];
  api_may_write_directory_users: boolean;
  roles: Record<string, CatalogueRole>;
}

const TTL = 900;

/** Caches tenants with their roles, in the state of the last answered change. */
@Injectable()
export class TenantStore {
  private readonly cache: FreshCache<TenantView>;

  constructor(
    private readonly db: Database,
    clock: Clock,
  ) {
    this.cache = new FreshCache(clock, TTL, { proof: db.feed });
    db.feed.on(['tenants', 'roles'], (row) => this.cache.drop(row?.tenantId));
  }

  get(tenantId: string): Promise<TenantView> {
    return this.cache.get(tenantId, () => this.load(tenantId));
  }

  /** Resolves when no process uses the values before a change made here. */
  forget(tenantId: string): Promise<void> {
    this.cache.drop(tenantId);
    return this.db.feed.settled();
  }

  /** Returns the name before a change of the last 30 days, or null. */
  async formerName(tenantId: string): Promise<{ name: string; until: Date } | null> {
    const { rows } = await this.db.query<{ name: string; until: Date }>(
      `select former_name as name, name_changed_at as until from tenants
       where id = $1 and former_name is not null and name_changed_at > now() - interval '30 days'`,
      [tenantId],
    );
    return rows[0] ?? null;
  }

  private async load(tenantId: string): Promise<TenantView> {
    const { rows } = await this.db.query<TenantRow>(
      `select id, name, time_zone, help_url, owner_user_id, break_glass, api_may_write_directory_users,
              coalesce((select jsonb_object_agg(r.name, jsonb_build_object('takesSeat', r.takes_seat, 'console', r.console))
                from roles r where r.tenant_id = t.id), '{}') roles
       from tenants t where id = $1`,
      [tenantId],
    );
    const row = rows[0];
    if (row === undefined) throw new NotFound('tenant');
    return {
      id: row.id,
      name: row.name,
      timeZone: row.time_zone,
      helpUrl: row.help_url,
      ownerUserId: row.owner_user_id,
      protectedUserIds: new Set([...(row.owner_user_id === null ? [] : [row.owner_user_id]), ...row.break_glass]),
      apiMayWriteDirectoryUsers: row.api_may_write_directory_users,
      roles: new Map(Object.entries(row.roles)),
    };
  }
}
