import { Injectable } from '@nestjs/common';
import { newId } from '../base/ids.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import { InvalidFields, NotFound } from '../base/errors/domain-error.js';
import type { PageRequest } from '../base/http/page.js';
import type { Actor } from '../identity/source.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuditService } from './audit/audit.service.js';
import { SCOPES } from './scopes.js';
import type { CreateTenant, NewTenantBody, TenantBody } from './tenants.dto.js';
import { TenantsRepository, type TenantChange } from './tenants.repository.js';
import { TenantStore } from './tenant.store.js';

/** Who does it, in which request; null outside of one. */
export interface By {
  actor: Actor;
  requestId: string | null;
}

@Injectable()
export class TenantsService {
  constructor(
    private readonly db: Database,
    private readonly repository: TenantsRepository,
    private readonly keys: ApiKeysService,
    private readonly audit: AuditService,
    private readonly store: TenantStore,
  ) {}

  /** A new tenant, with roles, an open seat limit and the beginnings of its chains; and a first key if asked for. */
  create(input: CreateTenant, by: By): Promise<NewTenantBody> {
    return this.db.transaction(null, (tx) => this.createIn(tx, input, by));
  }

  private async createIn(tx: SqlRunner, input: CreateTenant, by: By): Promise<NewTenantBody> {
    const tenant = await this.repository.insert(tx, {
      id: newId('ten'),
      name: input.name,
      time_zone: input.time_zone ?? 'UTC',
      api_may_write_directory_users: input.api_may_write_directory_users ?? false,
    });
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

  /** 404 when there is no such tenant. */
  async get(id: string): Promise<TenantBody> {
    const tenant = await this.repository.find(id);
    if (tenant === null) throw new NotFound('tenant');
    return tenant;
  }

  /** Changes what is named. The owner has to be an active person of the tenant (422). */
  async change(id: string, change: TenantChange, by: By): Promise<TenantBody> {
    const tenant = await this.db.transaction(id, async (tx) => {
      const before = await this.repository.find(id, tx, true);
      if (before === null) throw new NotFound('tenant');
      const owner = change.owner_user_id;
      if (typeof owner === 'string' && !(await this.repository.hasActivePerson(tx, id, owner))) {
        throw new InvalidFields([{ field: 'owner_user_id', message: 'must be an active user of the tenant' }]);
      }
      const after = await this.repository.update(tx, id, change);
      await this.audit.record(tx, {
        tenantId: id,
        ...by,
        action: 'tenant.changed',
        targetType: 'tenant',
        targetId: id,
        before,
        after,
      });
      return after;
    });
    this.store.forget(id);
    return tenant;
  }
}
