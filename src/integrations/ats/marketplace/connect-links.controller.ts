import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { ConnectLinkBody, CreateConnectLink, NewConnectLinkBody } from './connect-links.dto.js';
import { ConnectLinksRepository } from './connect-links.repository.js';
import { ConnectLinksService } from './connect-links.service.js';

/** Links with which a person connects an ATS without an account here. */
@ApiController('ats-connect-links', { tag: 'ats-connections' })
@RequireScope('ats:manage')
@ApiRefusals()
export class ConnectLinksController {
  constructor(
    private readonly links: ConnectLinksService,
    private readonly repository: ConnectLinksRepository,
  ) {}

  @RecentSignIn()
  @Post()
  @ApiOperation({
    summary: 'A link that connects an ATS: works once, for three days; it is shown this once',
    description:
      'Its page says for which tenant it is. Who opens it has to administer the ATS, and needs no account here.',
  })
  @ApiRecord(NewConnectLinkBody, 201)
  @ApiRefusals({ 409: ['no_oauth_client'] })
  make(@CurrentCaller() caller: Caller, @Body() body: CreateConnectLink): Promise<NewConnectLinkBody> {
    return this.links.make(caller, body.provider);
  }

  @Get()
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'The connect links, newest first' })
  @ApiPage(ConnectLinkBody)
  async list(@CurrentCaller() { tenantId }: Caller, @Query() query: QueryMap): Promise<Page<ConnectLinkBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'ats-connect-links');
    return pageOf(
      page,
      await this.repository.list(tenantId, page.after, page.limit),
      ({ id }) => id,
      (body) => body,
    );
  }

  @Delete(':link_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revokes a link that was not used yet' })
  @ApiNoContentResponse()
  revoke(@CurrentCaller() caller: Caller, @Param('link_id') id: string): Promise<void> {
    return this.links.revoke(caller, id);
  }
}
