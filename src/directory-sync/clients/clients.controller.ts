import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RecentSignIn, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../tenancy/tenants/storage/storage.errors.js';
import { DirectoryMarks, FORCE_OPTION, isForced } from '../directories/directory-marks.js';
import {
  CreateClient,
  CreateClientSecret,
  NewClientBody,
  NewClientSecretBody,
  ShownClientBody,
} from './clients.dto.js';
import { ClientsService } from './clients.service.js';

@ApiController('directories/:directory_id/clients', { tag: 'directories' })
@RequireScope('admin')
export class ClientsController {
  constructor(
    private readonly clients: ClientsService,
    private readonly marks: DirectoryMarks,
  ) {}

  @RecentSignIn()
  @Post()
  @ApiRefusals({ 409: ['too_many_clients'] })
  @ApiOperation({
    summary: 'Creates an OAuth client, which gets access tokens for SCIM at `POST /oauth/token`',
    description:
      'A client of the kind `secret` gets its first secret, which only this answer shows. SCIM tokens and other clients of the directory stay valid.',
  })
  @ApiCreatedResponse({ type: NewClientBody })
  create(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Body() body: CreateClient,
  ): Promise<NewClientBody> {
    return this.clients.create(caller, directoryId, body);
  }

  @Get()
  @RequireScope('directories:read')
  @ApiOperation({ summary: 'The OAuth clients of a directory with their secrets, newest first' })
  @ApiPage(ShownClientBody)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Query() query: QueryMap,
  ): Promise<Page<ShownClientBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, `clients ${directoryId}`);
    return pageOf(
      page,
      await this.marks.shownWith(caller.tenantId, await this.clients.list(caller.tenantId, directoryId, page)),
      (row) => row.id,
      (row) => row,
    );
  }

  @Get(':client_id')
  @RequireScope('directories:read')
  @ApiOperation({ summary: 'One OAuth client' })
  @ApiOkResponse({ type: ShownClientBody })
  async get(
    @CurrentCaller() { tenantId }: Caller,
    @Param('directory_id') directoryId: string,
    @Param('client_id') id: string,
  ): Promise<ShownClientBody> {
    const [client] = await this.marks.shownWith(tenantId, [await this.clients.get(tenantId, directoryId, id)]);
    return client!;
  }

  @Delete(':client_id')
  @HttpCode(204)
  @FORCE_OPTION
  @ApiRefusals({ 409: ['credential_in_use'] })
  @ApiOperation({ summary: 'Ends an OAuth client with its secrets and access tokens at once' })
  @ApiNoContentResponse()
  revoke(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Param('client_id') id: string,
    @Query() query: QueryMap,
  ): Promise<void> {
    return this.clients.revoke(caller, directoryId, id, isForced(query));
  }

  @RecentSignIn()
  @Post(':client_id/secrets')
  @EvenWhenExhausted()
  @ApiRefusals({ 409: ['credential_ended', 'too_many_client_secrets'] })
  @ApiOperation({
    summary: 'Adds a secret to a client, which only this answer shows; two can be valid at the same time',
  })
  @ApiCreatedResponse({ type: NewClientSecretBody })
  createSecret(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Param('client_id') clientId: string,
    @Body() body: CreateClientSecret,
  ): Promise<NewClientSecretBody> {
    return this.clients.createSecret(caller, directoryId, clientId, body);
  }

  @Delete(':client_id/secrets/:secret_id')
  @HttpCode(204)
  @FORCE_OPTION
  @ApiRefusals({ 409: ['credential_in_use'] })
  @ApiOperation({ summary: 'Ends a secret, and the access tokens that were given for it, at once' })
  @ApiNoContentResponse()
  revokeSecret(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Param('client_id') clientId: string,
    @Param('secret_id') id: string,
    @Query() query: QueryMap,
  ): Promise<void> {
    return this.clients.revokeSecret(caller, directoryId, clientId, id, isForced(query));
  }
}
