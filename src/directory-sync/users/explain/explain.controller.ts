import { Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiController } from '../../../tenancy/tenants/api-controller.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { CurrentCaller } from '../../../tenancy/tenants/current-caller.js';
import { RequireScope } from '../../../tenancy/tenants/require-scope.js';
import { ExplanationBody } from './explain.dto.js';
import { ExplainService } from './explain.service.js';

/** Why a user is as it is: requested state beside effective state, and what is in the way. */
@ApiController('users/:user_id/explain', { tag: 'users' })
@RequireScope('users:read')
export class ExplainController {
  constructor(private readonly explanations: ExplainService) {}

  @Get()
  @ApiOperation({
    summary: 'One user with requested and effective state, why they differ, and which user is in the way',
  })
  @ApiOkResponse({ type: ExplanationBody })
  explain(@CurrentCaller() caller: Caller, @Param('user_id') id: string): Promise<ExplanationBody> {
    return this.explanations.of(caller.tenantId, id);
  }
}
