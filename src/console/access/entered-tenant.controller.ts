import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { OperatorController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, type Caller } from '../../tenancy/tenants/caller.js';
import { WhileEntered } from '../../tenancy/tenants/operator-acts.js';
import { EnteredBody, EnterTenant } from './console-access.dto.js';
import { EnteredTenantService } from './console-entry.service.js';

/** The operator's reading of one tenant, by a session of the console. */
@OperatorController('tenants/:tenant_id')
@ApiRefusals()
export class EnteredTenantController {
  constructor(private readonly entered: EnteredTenantService) {}

  @WhileEntered()
  @Post('enter')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Lets the session of the operator read a tenant for 30 minutes',
    description: 'Its audit log has the reason. Another tenant takes the place of this one.',
  })
  @ApiRecord(EnteredBody)
  @ApiRefusals({ 409: ['no_console_session'] })
  enter(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') tenantId: string,
    @Body() { reason }: EnterTenant,
  ): Promise<EnteredBody> {
    return this.entered.enter(caller, tenantId, reason);
  }

  @WhileEntered()
  @Post('leave')
  @HttpCode(204)
  @ApiOperation({ summary: 'Ends the reading of a tenant before its time' })
  @ApiNoContentResponse()
  @ApiRefusals({ 409: ['no_console_session'] })
  leave(@CurrentCaller() caller: Caller, @Param('tenant_id') tenantId: string): Promise<void> {
    return this.entered.leave(caller, tenantId);
  }
}
