import { Body, Get, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiController } from './api-controller.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from './caller.js';
import { ChangeTenant, TenantBody } from './tenants.dto.js';
import { TenantChanges } from './tenant-changes.js';
import { TenantsService } from './tenants.service.js';

/** What a tenant may set about itself: its time zone, its named owner, who may write a directory's people. */
@ApiController('tenant')
@RequireScope('admin')
export class OwnTenantController {
  constructor(
    private readonly tenants: TenantsService,
    private readonly changes: TenantChanges,
  ) {}

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
    return this.changes.change(caller.tenantId, body, { actor: caller.actor, requestId: caller.requestId });
  }
}
