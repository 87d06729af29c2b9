import { Injectable } from '@nestjs/common';
import { newId } from '../../base/ids.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuditService } from './audit/audit.service.js';
import { SCOPES } from './scopes.js';
import type { CreateTenant, NewTenantBody, TenantBody } from './tenants.dto.js';
import { TenantsRepository } from './tenants.repository.js';
import { DomainEvents } from '../../base/domain-events.js';
import { HeadsRepository } from '../ledger/heads.repository.js';
import { demandPlainName, type By } from './tenant-changes.js';
import { TenantCreated, TenantReady } from './tenants.events.js';

/** Makes and reads tenants. */
@Injectable()
export class TenantsService {
  constructor(
    private readonly db: Database,
    private readonly repository: TenantsRepository,
    private readonly keys: ApiKeysService,
    private readonly audit: AuditService,
    private readonly heads: HeadsRepository,
    private readonly events: DomainEvents,
  ) {}

  /** A new tenant, with roles, an open seat limit and the beginnings of its chains; and a first key if asked for. */
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

  /** 404 when there is no such tenant. */
  async get(id: string): Promise<TenantBody> {
    const tenant = await this.repository.find(id);
    if (tenant === null) throw new NotFound('tenant');
    return tenant;
  }
}
