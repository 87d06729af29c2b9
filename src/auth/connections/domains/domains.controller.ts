import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController, OperatorController } from '../../../tenancy/tenants/api-key.guard.js';
import type { AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { demandOperatorToken } from '../../../tenancy/tenants/operator-acts.js';
import { TenantsService } from '../../../tenancy/tenants/tenants.service.js';
import { domainShape, ChangeDomain, CreateDomain, DomainBody, TrustDomain } from './domains.dto.js';
import { DomainsService } from './domains.service.js';

@ApiController('domains')
@RequireScope('admin')
@ApiRefusals()
export class DomainsController {
  constructor(private readonly domains: DomainsService) {}

  @RecentSignIn()
  @Post()
  @ApiOperation({ summary: 'A domain to be verified, with the DNS record that does it' })
  @ApiRecord(DomainBody, 201)
  @ApiRefusals({ 409: ['domain_exists', 'too_many_domains'] })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateDomain): Promise<DomainBody> {
    return this.domains.create(caller, body);
  }

  @Get()
  @RequireScope('connections:read')
  @ApiOperation({ summary: 'The domains of this tenant, by name' })
  @ApiPage(DomainBody)
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<DomainBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'domains');
    return pageOf(page, await this.domains.list(caller.tenantId, page), (row) => row.domain, domainShape);
  }

  @Get(':domain')
  @RequireScope('connections:read')
  @ApiOperation({ summary: 'One domain' })
  @ApiRecord(DomainBody)
  get(@CurrentCaller() caller: Caller, @Param('domain') domain: string): Promise<DomainBody> {
    return this.domains.get(caller.tenantId, domain);
  }

  @RecentSignIn()
  @Patch(':domain')
  @ApiOperation({ summary: 'Binds a domain to a connection, or to none' })
  @ApiRecord(DomainBody)
  @ApiRefusals({ 409: ['untested_connection'] })
  change(
    @CurrentCaller() caller: Caller,
    @Param('domain') domain: string,
    @Body() body: ChangeDomain,
  ): Promise<DomainBody> {
    return this.domains.change(caller, domain, body);
  }

  @Delete(':domain')
  @HttpCode(204)
  @ApiOperation({ summary: 'Removes a domain from the list; sessions continue' })
  @ApiNoContentResponse()
  remove(@CurrentCaller() caller: Caller, @Param('domain') domain: string): Promise<void> {
    return this.domains.remove(caller, domain);
  }

  @Post(':domain/verify')
  @HttpCode(200)
  @ApiOperation({ summary: 'Looks for the DNS record now' })
  @ApiRecord(DomainBody)
  @ApiRefusals({ 409: ['domain_not_verified', 'domain_taken'] })
  verify(@CurrentCaller() caller: Caller, @Param('domain') domain: string): Promise<DomainBody> {
    return this.domains.verify(caller, domain);
  }
}

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
