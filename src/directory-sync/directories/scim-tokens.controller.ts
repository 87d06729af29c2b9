import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../tenancy/tenants/caller.js';
import { RotateCredential } from '../../tenancy/tenants/tenants.dto.js';
import { FORCE_OPTION, isForced } from './directory-marks.js';
import { CreateScimToken, NewScimTokenBody, ScimTokenBody } from './directories.dto.js';
import { ScimTokensService } from './scim-tokens.service.js';
import { EvenWhenExhausted } from '../../tenancy/tenants/storage/storage.errors.js';

@ApiController('directories/:directory_id/tokens', { tag: 'directories' })
@RequireScope('admin')
export class ScimTokensController {
  constructor(private readonly tokens: ScimTokensService) {}

  @RecentSignIn()
  @Post()
  @ApiRefusals({ 409: ['too_many_scim_tokens'] })
  @ApiOperation({ summary: 'Creates a SCIM token, which only this answer shows' })
  @ApiCreatedResponse({ type: NewScimTokenBody })
  create(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Body() body: CreateScimToken,
  ): Promise<NewScimTokenBody> {
    return this.tokens.create(caller, directoryId, body);
  }

  @Get()
  @RequireScope('directories:read')
  @ApiOperation({ summary: 'The tokens of a directory, newest first' })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Query() query: QueryMap,
  ): Promise<Page<ScimTokenBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, `tokens ${directoryId}`);
    const rows = await this.tokens.list(caller.tenantId, directoryId, page);
    return pageOf(
      page,
      rows,
      (row) => row.id,
      (row) => row,
    );
  }

  @Get(':token_id')
  @RequireScope('directories:read')
  @ApiOperation({ summary: 'One token' })
  @ApiOkResponse({ type: ScimTokenBody })
  get(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Param('token_id') id: string,
  ): Promise<ScimTokenBody> {
    return this.tokens.get(caller.tenantId, directoryId, id);
  }

  @RecentSignIn()
  @Post(':token_id/rotate')
  @EvenWhenExhausted()
  @ApiRefusals({ 409: ['credential_ended', 'too_many_scim_tokens'] })
  @ApiOperation({
    summary: 'Replaces a token; the old one stays valid for `overlap_seconds` (a day unless set)',
  })
  @ApiCreatedResponse({ type: NewScimTokenBody })
  rotate(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Param('token_id') id: string,
    @Body() body: RotateCredential,
  ): Promise<NewScimTokenBody> {
    return this.tokens.rotate(caller, directoryId, id, body);
  }

  @Delete(':token_id')
  @HttpCode(204)
  @FORCE_OPTION
  @ApiRefusals({ 409: ['credential_in_use'] })
  @ApiOperation({ summary: 'Revokes a token at once' })
  @ApiNoContentResponse()
  revoke(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Param('token_id') id: string,
    @Query() query: QueryMap,
  ): Promise<void> {
    return this.tokens.revoke(caller, directoryId, id, isForced(query));
  }
}
