import { Body, Get, Param, Put } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { ApiController, OperatorController } from './api-controller.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from './caller.js';
import { TenantsService } from './tenants.service.js';
import { SetStorageLimit, StorageBody } from './storage/storage.dto.js';
import { StorageService } from './storage/storage.service.js';

/** What the tenant of the key stores. */
@ApiController('storage')
@RequireScope('settings:read')
@ApiRefusals()
export class StorageController {
  constructor(private readonly storage: StorageService) {}

  @Get()
  @ApiOperation({ summary: 'The bytes that the tenant stores, and its limit' })
  @ApiRecord(StorageBody)
  get(@CurrentCaller() caller: Caller): Promise<StorageBody> {
    return this.storage.show(caller.tenantId);
  }
}

/** The operator's: what a tenant stores, and how much it may. */
@OperatorController('tenants/:tenant_id/storage')
@ApiRefusals()
export class TenantStorageController {
  constructor(
    private readonly storage: StorageService,
    private readonly tenants: TenantsService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The bytes that a tenant stores, and its limit' })
  @ApiRecord(StorageBody)
  async get(@Param('tenant_id') tenantId: string): Promise<StorageBody> {
    await this.tenants.get(tenantId);
    return this.storage.show(tenantId);
  }

  @RecentSignIn()
  @Put()
  @ApiOperation({ summary: 'Sets the bytes that a tenant may store' })
  @ApiRecord(StorageBody)
  async set(
    @CurrentCaller() { actor, requestId }: Caller,
    @Param('tenant_id') tenantId: string,
    @Body() body: SetStorageLimit,
  ): Promise<StorageBody> {
    await this.tenants.get(tenantId);
    return this.storage.setLimit({ tenantId, actor, requestId }, body.limit_bytes);
  }
}
