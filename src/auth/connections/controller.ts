import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query, Controller, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { NotFound } from '../../base/errors/domain-error.js';
import { sendJson } from '../../base/http/answer.js';
import { ApiFilter, ApiPage, ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { publicPart } from '../../protocols/oidc/client-keys.js';
import { SamlProtocol } from '../../protocols/saml/saml.protocol.js';
import { METADATA_TYPE } from '../../protocols/saml/sp-metadata.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../tenancy/tenants/caller.js';
import { CONNECTION_SHAPE, ConnectionCheckBody, type ConnectionBody } from './bodies.dto.js';
import { ChangeConnection, CreateConnection, RefreshMetadata, JwksBody } from './dto.js';
import { IDP_PROVIDER } from './names.rules.js';
import { MetadataRefreshing } from './refresh.js';
import { ConnectionsService } from './service.js';
import { ConnectionStore } from './store.js';

@ApiController('connections')
@RequireScope('admin')
@ApiRefusals()
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly metadata: MetadataRefreshing,
  ) {}

  @RecentSignIn()
  @Post()
  @ApiOperation({ summary: 'A new connection to an IdP, by OpenID Connect or SAML' })
  @ApiRecord(CONNECTION_SHAPE, 201)
  @ApiRefusals({ 409: ['slug_taken', 'entity_id_taken', 'too_many_connections'] })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateConnection): Promise<ConnectionBody> {
    return this.connections.create(caller, body);
  }

  @Get()
  @RequireScope('connections:read')
  @ApiOperation({ summary: 'The connections of this tenant, newest first' })
  @ApiFilter('slug', 'Only the connection with this slug.')
  @ApiPage(CONNECTION_SHAPE)
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<ConnectionBody>> {
    const { slug } = queryOptions(query, ['slug', ...PAGE_OPTIONS]);
    const page = readPage(query, `connections ${slug ?? ''}`.trimEnd());
    return pageOf(
      page,
      await this.connections.list(caller.tenantId, slug ?? null, page),
      (row) => row.id,
      (row) => this.connections.shape(row),
    );
  }

  @Get(':connection_id')
  @RequireScope('connections:read')
  @ApiOperation({ summary: 'One connection, with the values that the administrator of the IdP needs' })
  @ApiRecord(CONNECTION_SHAPE)
  get(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<ConnectionBody> {
    return this.connections.get(caller.tenantId, id);
  }

  @RecentSignIn()
  @Patch(':connection_id')
  @ApiOperation({ summary: 'Changes a connection; another IdP or directory ends all its bindings and sessions' })
  @ApiRecord(CONNECTION_SHAPE)
  @ApiRefusals({ 409: ['changed_meanwhile', 'untested_connection', 'entity_id_taken'] })
  change(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Body() body: ChangeConnection,
  ): Promise<ConnectionBody> {
    return this.connections.change(caller, id, body);
  }

  @Delete(':connection_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Deletes a connection and ends the sessions through it' })
  @ApiNoContentResponse()
  @ApiRefusals({ 409: ['untested_connection'] })
  remove(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<void> {
    return this.connections.remove(caller, id);
  }

  @Post(':connection_id/refresh-metadata')
  @HttpCode(200)
  @ApiOperation({ summary: 'Reads the IdP’s metadata again' })
  @ApiRecord(CONNECTION_SHAPE)
  @ApiRefusals({ 409: ['metadata_needs_confirmation', 'changed_meanwhile'] })
  refresh(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Body() body: RefreshMetadata,
  ): Promise<ConnectionBody> {
    return this.metadata.refreshMetadata(caller, id, body.confirm ?? false);
  }

  @Post(':connection_id/check')
  @HttpCode(200)
  @ApiOperation({ summary: 'Checks the IdP of an OIDC connection without a sign-in' })
  @ApiRecord(ConnectionCheckBody)
  @ApiRefusals({ 409: ['not_checkable'] })
  check(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<ConnectionCheckBody> {
    return this.metadata.check(caller.tenantId, id);
  }
}

/** What IdPs read of a connection, without authentication. */
@Controller('api/auth')
@ApiTags('sign-in')
@ApiParam(IDP_PROVIDER)
@ApiRefusals()
export class PublishedController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly saml: SamlProtocol,
  ) {}

  @Get('metadata/:idp_provider')
  @ApiOperation({ summary: 'Our metadata towards the IdP of a SAML connection' })
  @ApiOkResponse({ content: { [METADATA_TYPE]: { schema: { type: 'string' } } } })
  async metadata(@Param('idp_provider') slug: string, @Res() res: BridgeResponse): Promise<void> {
    const connection = await this.connections.bySlug(slug);
    if (connection?.type !== 'saml') throw new NotFound('connection');
    sendJson(res, 200, await this.saml.metadata(connection), `${METADATA_TYPE}; charset=utf-8`);
  }

  @Get('jwks/:idp_provider')
  @ApiOperation({ summary: 'The public key by which the IdP of an OIDC connection knows us (private_key_jwt)' })
  @ApiOkResponse({ type: JwksBody })
  async keys(@Param('idp_provider') slug: string, @Res() res: BridgeResponse): Promise<void> {
    const connection = await this.connections.bySlug(slug);
    if (connection?.type !== 'oidc') throw new NotFound('connection');
    const { privateKey } = connection;
    res.setHeader('Cache-Control', 'public, max-age=300');
    res.json({ keys: privateKey === null ? [] : [publicPart(privateKey)] });
  }
}
