import { Body, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import { withAllowFromNotice } from '../../base/http/allowed-networks.js';
import { ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ApiController } from './api-key.guard.js';
import { ApiKeysService } from './api-keys.service.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from './caller.js';
import { EvenWhenExhausted } from './storage/storage.errors.js';
import {
  ENDPOINTS_QUERY,
  leftEndpoints,
  LeftEndpointsBody,
  pausesEndpoints,
  ApiKeyBody,
  ChangeApiKey,
  CreateApiKey,
  NewApiKeyBody,
  RotateCredential,
} from './tenants.dto.js';

@ApiController('api-keys')
@RequireScope('admin')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @RecentSignIn()
  @Post()
  @ApiRefusals({ 409: ['too_many_api_keys'] })
  @ApiOperation({
    summary: 'A new key; its secret is shown this once',
    description:
      'A key that is held to networks makes keys within them alone: without `allow_from`, with the same ones.',
  })
  @ApiCreatedResponse({ type: NewApiKeyBody })
  async create(
    @CurrentCaller() caller: Caller,
    @Req() req: BridgeRequest,
    @Body() body: CreateApiKey,
  ): Promise<NewApiKeyBody> {
    return withAllowFromNotice(await this.keys.create(caller.tenantId, body, caller), req);
  }

  @Get()
  @RequireScope('settings:read')
  @ApiOperation({ summary: 'The keys of this tenant, newest first' })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<ApiKeyBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'api-keys');
    return pageOf(
      page,
      await this.keys.list(caller.tenantId, page),
      (key) => key.id,
      (key) => key,
    );
  }

  @Get(':key_id')
  @RequireScope('settings:read')
  @ApiOperation({ summary: 'One key' })
  @ApiOkResponse({ type: ApiKeyBody })
  get(@CurrentCaller() caller: Caller, @Param('key_id') id: string): Promise<ApiKeyBody> {
    return this.keys.get(caller.tenantId, id);
  }

  @RecentSignIn()
  @Patch(':key_id')
  @EvenWhenExhausted()
  @ApiRefusals({ 409: ['credential_ended'] })
  @ApiOperation({ summary: 'Changes the name of a key, or the networks that it admits requests from' })
  @ApiOkResponse({ type: ApiKeyBody })
  async change(
    @CurrentCaller() caller: Caller,
    @Req() req: BridgeRequest,
    @Param('key_id') id: string,
    @Body() body: ChangeApiKey,
  ): Promise<ApiKeyBody> {
    return withAllowFromNotice(await this.keys.change(caller.tenantId, id, body, caller), req);
  }

  @RecentSignIn()
  @Post(':key_id/rotate')
  @EvenWhenExhausted()
  @ApiRefusals({ 409: ['credential_ended', 'too_many_api_keys'] })
  @ApiOperation({ summary: 'A new key in place of this one, which holds for `overlap_seconds` yet (a day unless set)' })
  @ApiCreatedResponse({ type: NewApiKeyBody })
  async rotate(
    @CurrentCaller() caller: Caller,
    @Req() req: BridgeRequest,
    @Param('key_id') id: string,
    @Body() body: RotateCredential,
  ): Promise<NewApiKeyBody> {
    return withAllowFromNotice(await this.keys.rotate(caller.tenantId, id, body, caller), req);
  }

  @Delete(':key_id')
  @ApiOperation({
    summary: 'Ends a key at once, with the connect links and test sign-ins that it has made',
    description: 'Webhook endpoints that the key has made continue: the answer is 200 then, and names them.',
  })
  @ApiQuery(ENDPOINTS_QUERY)
  @ApiOkResponse({ type: LeftEndpointsBody })
  @ApiNoContentResponse()
  async revoke(
    @CurrentCaller() caller: Caller,
    @Param('key_id') id: string,
    @Query() query: QueryMap,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<LeftEndpointsBody | undefined> {
    const pause = pausesEndpoints(queryOptions(query, ['endpoints']).endpoints);
    return leftEndpoints(res, await this.keys.revoke(caller.tenantId, id, caller, pause));
  }
}
