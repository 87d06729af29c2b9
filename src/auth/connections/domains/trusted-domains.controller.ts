import { Body, Delete, HttpCode, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { OperatorController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { TenantsService } from '../../../tenancy/tenants/tenants.service.js';
import type { AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { DomainBody, TrustDomain } from './domains.dto.js';
import { demandOperatorToken } from '../../../tenancy/tenants/operator-acts.js';
import { DomainsService } from './domains.service.js';

/** Domains that the operator verifies without a record. */
@OperatorController('tenants/:tenant_id/domains')
@ApiRefusals()
export class TrustedDomainsController {
  constructor(
    private readonly domains: DomainsService,
    private readonly tenants: TenantsService,
  ) {}

  @RecentSignIn()
  @Put(':domain')
  @ApiOperation({ summary: 'Takes a domain for a tenant’s, without a DNS record' })
  @ApiRecord(DomainBody)
  @ApiRefusals({ 403: ['operator_token_needed'], 409: ['domain_taken', 'domain_exists', 'too_many_domains'] })
  async trust(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') tenantId: string,
    @Param('domain') domain: string,
    @Body() body: TrustDomain,
  ): Promise<DomainBody> {
    // A verified domain has no end of its own.
    demandOperatorToken(caller, 'A domain without a DNS record');
    const { reason, ...change } = body;
    return this.domains.trust(
      { ...(await this.by(caller, tenantId)), ...(reason === undefined ? {} : { reason }) },
      domain,
      change,
    );
  }

  @Delete(':domain')
  @HttpCode(204)
  @ApiOperation({ summary: 'Takes a domain off a tenant’s list' })
  @ApiRefusals({ 403: ['operator_token_needed'] })
  @ApiNoContentResponse()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') tenantId: string,
    @Param('domain') domain: string,
  ): Promise<void> {
    demandOperatorToken(caller, 'The end of a domain');
    return this.domains.remove(await this.by(caller, tenantId), domain);
  }

  private async by({ actor, requestId }: Caller, tenantId: string): Promise<AuditBy> {
    await this.tenants.get(tenantId);
    return { tenantId, actor, requestId };
  }
}
