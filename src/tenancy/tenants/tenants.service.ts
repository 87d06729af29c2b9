import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { Conflict, InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import type { Actor } from '../identity/person.js';
import { HeadsRepository } from '../ledger/heads.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuditService } from './audit/audit.service.js';
import { KnownUsers } from './caller.js';
import { SCOPES } from './scopes.js';
import { TenantAddresses } from './tenant-addresses.js';
import { tenantNameProblem } from './tenant.rules.js';
import { TenantStore } from './tenant.store.js';
import type { TenantBody, CreateTenant, NewTenantBody } from './tenants.dto.js';
import { OwnerChanged, ProtectionEnded, TenantCreated, TenantReady } from './tenants.events.js';
import { TenantsRepository, type TenantChange } from './tenants.repository.js';

/** The author of a change; `requestId` is null outside of a request. */
export interface By {
  actor: Actor;
  requestId: string | null;
  /** Why the operator makes the change. */
  reason?: string;
}

/** @throws {InvalidFields} for a name that pages cannot show; one that is older than the rule can stay */
export function demandPlainName(name: string, before?: string): void {
  if (name === before) return;
  const message = tenantNameProblem(name);
  if (message !== null) throw new InvalidFields([{ field: 'name', message }]);
}

function protectedOf({ owner_user_id: owner, break_glass: named }: TenantBody): string[] {
  return [...(owner === null ? [] : [owner]), ...named];
}

/** Creates, reads and changes tenants. */
@Injectable()
export class TenantsService {
  constructor(
    private readonly db: Database,
    private readonly repository: TenantsRepository,
    private readonly keys: ApiKeysService,
    private readonly audit: AuditService,
    private readonly heads: HeadsRepository,
    private readonly events: DomainEvents,
    private readonly users: KnownUsers,
    private readonly store: TenantStore,
    private readonly addresses: TenantAddresses,
    private readonly config: Config,
  ) {}

  /**
   * Creates a tenant, with roles, an open seat limit and the beginnings of its chains; and a first key if asked for.
   */
  async create(input: CreateTenant, by: By): Promise<NewTenantBody> {
    const tenant = await this.db.transaction(null, (tx) => this.createIn(tx, input, by));
    await this.events.publish(new TenantReady(tenant.id));
    return tenant;
  }

  private async createIn(tx: SqlRunner, input: CreateTenant, by: By): Promise<NewTenantBody> {
    demandPlainName(input.name);
    const tenant = await this.repository.insert(tx, {
      id: newId('ten'),
      name: input.name,
      time_zone: input.time_zone ?? 'UTC',
      api_may_write_directory_users: input.api_may_write_directory_users ?? false,
    });
    await this.heads.begin(tx, tenant.id);
    await this.events.publish(new TenantCreated(tx, tenant.id));
    await this.audit.record(tx, {
      tenantId: tenant.id,
      ...by,
      action: 'tenant.created',
      targetType: 'tenant',
      targetId: tenant.id,
      after: tenant,
    });
    if (input.api_key === undefined) return tenant;
    const { name = 'first key', scopes = [...SCOPES], expires_at = null } = input.api_key;
    const key = await this.keys.createIn(tx, tenant.id, { name, scopes, expires_at }, by);
    return { ...tenant, api_key: key.api_key };
  }

  list(page: PageRequest): Promise<TenantBody[]> {
    return this.repository.list(page);
  }

  async get(id: string): Promise<TenantBody> {
    const tenant = await this.repository.find(id);
    if (tenant === null) throw new NotFound('tenant');
    return tenant;
  }

  /**
   * @throws {InvalidFields} when the owner, or a newly named break-glass account, is not an active user of the tenant
   */
  async change(id: string, change: TenantChange, by: By): Promise<TenantBody> {
    let unprotected: string[] = [];
    const tenant = await this.db.transaction(id, async (tx) => {
      const before = await this.repository.find(id, tx, true);
      if (before === null) throw new NotFound('tenant');
      if (change.name !== undefined) demandPlainName(change.name, before.name);
      const owner = change.owner_user_id;
      if (typeof owner === 'string' && !(await this.users.isActive(tx, id, owner))) {
        throw new InvalidFields([{ field: 'owner_user_id', message: 'must be an active user of the tenant' }]);
      }
      await this.demandActive(tx, id, change.break_glass ?? [], before.break_glass);
      const after = await this.updated(tx, id, change);
      await this.audit.record(tx, {
        tenantId: id,
        ...by,
        action: 'tenant.changed',
        targetType: 'tenant',
        targetId: id,
        before,
        after,
      });
      if (after.owner_user_id !== before.owner_user_id) {
        const line = { tenantId: id, ...by };
        await this.events.publish(new OwnerChanged(tx, line, before.owner_user_id, after.owner_user_id));
      }
      const still = protectedOf(after);
      unprotected = protectedOf(before).filter((userId) => !still.includes(userId));
      return after;
    });
    await this.store.forget(id);
    if (unprotected.length > 0) {
      const who = { tenantId: id, actor: by.actor, requestId: by.requestId ?? '' };
      await this.events.publish(new ProtectionEnded(who, unprotected));
    }
    if (change.base_url !== undefined) await this.addresses.forget();
    return tenant;
  }

  private async updated(
    tx: SqlRunner,
    id: string,
    { base_url: address, ...change }: TenantChange,
  ): Promise<TenantBody> {
    if (address === undefined) return this.repository.update(tx, id, change);
    const origin = address === null ? null : new URL(address).origin;
    if (origin !== null && this.isOurs(origin)) {
      throw new InvalidFields([{ field: 'base_url', message: 'must not be an address of the installation' }]);
    }
    if (!(await this.repository.takeAddress(tx, id, origin))) {
      throw new Conflict('base_url_taken', 'Another tenant has this base address.');
    }
    return this.repository.update(tx, id, { ...change, base_url: origin });
  }

  private isOurs(origin: string): boolean {
    const { baseUrl, apiBaseUrl, appUrl } = this.config;
    return [baseUrl, apiBaseUrl, appUrl].some((own) => new URL(own).host === new URL(origin).host);
  }

  /** An id that was already named stays valid, so that a record can be sent back as read. */
  private async demandActive(tx: SqlRunner, tenantId: string, named: string[], known: string[]): Promise<void> {
    for (const [place, userId] of named.entries()) {
      if (known.includes(userId) || (await this.users.isActive(tx, tenantId, userId))) continue;
      throw new InvalidFields([{ field: `break_glass[${place}]`, message: 'must be an active user of the tenant' }]);
    }
  }
}
