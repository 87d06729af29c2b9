import { Body, Param, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { OperatorController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { MakeOwnerLink, OwnerLinkBody } from './owner-links.dto.js';
import { operatorActOf } from '../../../tenancy/tenants/operator-acts.js';
import { OwnerLinksService, type OwnerLink } from './owner-links.service.js';

/** Sign-in links of the operator, for tenants that are locked out. */
@OperatorController('tenants/:tenant_id/owner-sign-in-link')
@ApiRefusals()
export class OwnerLinksController {
  constructor(
    private readonly links: OwnerLinksService,
    private readonly clock: Clock,
  ) {}

  @RecentSignIn()
  @Post()
  @ApiOperation({
    summary: 'A sign-in link for the owner of a tenant: works once, for ten minutes',
    description: 'A new link ends the earlier one of the same user. Making and using it are in the tenant’s audit log.',
  })
  @ApiRecord(OwnerLinkBody, 201)
  @ApiRefusals({ 409: ['no_owner', 'owner_inactive'] })
  make(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') tenantId: string,
    @Body() body: MakeOwnerLink,
  ): Promise<OwnerLink> {
    const act = operatorActOf(caller, body, this.clock.now());
    return this.links.make({ tenantId, ...act }, body.user_id ?? null);
  }
}
