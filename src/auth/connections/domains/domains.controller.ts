import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { domainShape } from './domain.mapping.js';
import { ChangeDomain, CreateDomain, DomainBody } from './domains.dto.js';
import { DomainsService } from './domains.service.js';

/** The administration of domains. */
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
