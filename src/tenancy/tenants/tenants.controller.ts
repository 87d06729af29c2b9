import { Body, Delete, Get, Param, Patch, Post, Query, Req, Res, Put } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import { Clock } from '../../base/clock.js';
import { withAllowFromNotice } from '../../base/http/allowed-networks.js';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { OperatorController, ApiController } from './api-key.guard.js';
import { ApiKeysService } from './api-keys.service.js';
import { CurrentCaller, RecentSignIn, type Caller, RequireScope } from './caller.js';
import { demandOperatorToken, operatorActOf, queriedReason } from './operator-acts.js';
import { SetStorageLimit, StorageBody, StorageService } from './storage/storage.service.js';
import {
  ChangeTenantByOperator,
  CreateTenantKey,
  REASON_QUERY,
  ENDPOINTS_QUERY,
  leftEndpoints,
  LeftEndpointsBody,
  pausesEndpoints,
  CreateTenant,
  NewApiKeyBody,
  NewTenantBody,
  TenantBody,
  type ApiKeyBody,
  ChangeTenant,
} from './tenants.dto.js';
import { TenantsService } from './tenants.service.js';

@OperatorController('tenants')
export class TenantsController {
  constructor(
    private readonly tenants: TenantsService,
    private readonly keys: ApiKeysService,
    private readonly clock: Clock,
  ) {}

  @RecentSignIn()
  @Post()
  @ApiOperation({ summary: 'A new tenant, on request with a first API key' })
  @ApiCreatedResponse({ type: NewTenantBody })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateTenant): Promise<NewTenantBody> {
    return this.tenants.create(body, by(caller));
  }

  @Get()
  @ApiOperation({ summary: 'All tenants, newest first' })
  async list(@Query() query: QueryMap): Promise<Page<TenantBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'tenants');
    return pageOf(
      page,
      await this.tenants.list(page),
      (tenant) => tenant.id,
      (tenant) => tenant,
    );
  }

  @Get(':tenant_id')
  @ApiOperation({ summary: 'One tenant' })
  @ApiOkResponse({ type: TenantBody })
  get(@Param('tenant_id') id: string): Promise<TenantBody> {
    return this.tenants.get(id);
  }

  @RecentSignIn()
  @Patch(':tenant_id')
  @ApiOperation({ summary: 'Changes a tenant' })
  @ApiOkResponse({ type: TenantBody })
  change(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') id: string,
    @Body() { reason, ...body }: ChangeTenantByOperator,
  ): Promise<TenantBody> {
    if (body.owner_user_id !== undefined || body.break_glass !== undefined) {
      demandOperatorToken(caller, 'Another owner or break-glass account');
    }
    return this.tenants.change(id, body, { ...by(caller), ...(reason === undefined ? {} : { reason }) });
  }

  @Get(':tenant_id/api-keys')
  @ApiOperation({ summary: 'The keys of a tenant' })
  async listKeys(@Param('tenant_id') id: string, @Query() query: QueryMap): Promise<Page<ApiKeyBody>> {
    queryOptions(query, PAGE_OPTIONS);
    await this.tenants.get(id);
    const page = readPage(query, `tenant keys ${id}`);
    return pageOf(
      page,
      await this.keys.list(id, page),
      (key) => key.id,
      (key) => key,
    );
  }

  @RecentSignIn()
  @Post(':tenant_id/api-keys')
  @ApiOperation({
    summary: 'A key for a tenant: how its own administration begins, or begins again',
    description: 'A session of the console makes keys that end within an hour, with a reason.',
  })
  @ApiCreatedResponse({ type: NewApiKeyBody })
  async createKey(
    @CurrentCaller() caller: Caller,
    @Req() req: BridgeRequest,
    @Param('tenant_id') id: string,
    @Body() { reason, ...body }: CreateTenantKey,
  ): Promise<NewApiKeyBody> {
    await this.tenants.get(id);
    const ends = { field: 'expires_at', at: body.expires_at ?? null };
    const act = operatorActOf(caller, { reason, ends }, this.clock.now());
    return withAllowFromNotice(await this.keys.create(id, body, act), req);
  }

  @Delete(':tenant_id/api-keys/:key_id')
  @ApiOperation({
    summary: 'Ends a key of a tenant at once, as `DELETE /api-keys/{key_id}` does',
    description: 'A session of the console has to say why.',
  })
  @ApiQuery(ENDPOINTS_QUERY)
  @ApiQuery(REASON_QUERY)
  @ApiOkResponse({ type: LeftEndpointsBody })
  @ApiNoContentResponse()
  async revokeKey(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') id: string,
    @Param('key_id') keyId: string,
    @Query() query: QueryMap,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<LeftEndpointsBody | undefined> {
    const { endpoints, reason } = queryOptions(query, ['endpoints', 'reason']);
    const pause = pausesEndpoints(endpoints);
    const act = operatorActOf(caller, { reason: queriedReason(reason) }, this.clock.now());
    return leftEndpoints(res, await this.keys.revoke(id, keyId, act, pause));
  }
}

function by(caller: Caller): Pick<Caller, 'actor' | 'requestId'> {
  return { actor: caller.actor, requestId: caller.requestId };
}

@ApiController('tenant')
@RequireScope('admin')
export class OwnTenantController {
  constructor(private readonly tenants: TenantsService) {}

  @Get()
  @RequireScope('settings:read')
  @ApiOperation({ summary: 'The tenant of this key' })
  @ApiOkResponse({ type: TenantBody })
  get(@CurrentCaller() caller: Caller): Promise<TenantBody> {
    return this.tenants.get(caller.tenantId);
  }

  @RecentSignIn()
  @Patch()
  @ApiOperation({ summary: 'Changes the tenant of this key' })
  @ApiOkResponse({ type: TenantBody })
  change(@CurrentCaller() caller: Caller, @Body() body: ChangeTenant): Promise<TenantBody> {
    return this.tenants.change(caller.tenantId, body, { actor: caller.actor, requestId: caller.requestId });
  }
}

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
