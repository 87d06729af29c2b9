import { Body, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiList, ApiPage, ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { atsProviderBody } from '../connections/ats-connection.mapping.js';
import {
  AtsConnectionBody,
  AtsConnectionWithTokenBody,
  AtsProviderBody,
  AtsTestBody,
  AtsUserBody,
  DisconnectedBody,
  ChangeAtsConnection,
  CreateAtsConnection,
  CreateAtsToken,
  SetSigningSecret,
  SyncAtsConnection,
} from '../connections/ats-connections.dto.js';
import { AtsStates } from '../connections/ats-states.js';
import { connectors } from '../providers/providers.js';
import { AtsConnectionEnd } from './connection-end.js';
import { AtsConnectionReads } from './connection-reads.js';
import { AtsConnectionsService } from './connections.service.js';

@ApiController('ats-connections', { tag: 'ats-connections' })
@RequireScope('ats:manage')
@ApiRefusals()
export class AtsConnectionsController {
  constructor(
    private readonly connections: AtsConnectionsService,
    private readonly states: AtsStates,
    private readonly reads: AtsConnectionReads,
    private readonly end: AtsConnectionEnd,
  ) {}

  @Get('providers')
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'The connectors, with what each can and cannot do' })
  @ApiList(AtsProviderBody)
  providers(): { data: AtsProviderBody[] } {
    return { data: connectors().map(atsProviderBody) };
  }

  @RecentSignIn()
  @Post()
  @ApiOperation({
    summary: 'Connects an ATS with a key; the token of its webhook address is shown this once',
    description: 'Without a credential nothing is read or written, and webhooks alone come in.',
  })
  @ApiRecord(AtsConnectionWithTokenBody, 201)
  @ApiRefusals({ 409: ['marker_taken', 'ats_account_taken', 'too_many_ats_connections'] })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateAtsConnection): Promise<AtsConnectionWithTokenBody> {
    return this.connections.create(caller, body);
  }

  @Get()
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'The connections, oldest first' })
  @ApiPage(AtsConnectionBody)
  async list(@CurrentCaller() { tenantId }: Caller, @Query() query: QueryMap): Promise<Page<AtsConnectionBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'ats-connections');
    const rest = (await this.states.views(tenantId)).filter(({ id }) => page.after === null || id > page.after);
    return pageOf(
      page,
      rest,
      ({ id }) => id,
      (body) => body,
    );
  }

  @Get(':connection_id')
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'One connection, with its state, what is wrong and what waits' })
  @ApiRecord(AtsConnectionBody)
  get(@CurrentCaller() { tenantId }: Caller, @Param('connection_id') id: string): Promise<AtsConnectionBody> {
    return this.states.view(tenantId, id);
  }

  @RecentSignIn()
  @Patch(':connection_id')
  @ApiOperation({ summary: 'Changes a connection; another credential of the same account sets it up anew' })
  @ApiRecord(AtsConnectionBody)
  @ApiRefusals({ 409: ['wrong_ats_state', 'ats_account_taken', 'other_ats_account', 'ats_gives_no_answer'] })
  change(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Body() body: ChangeAtsConnection,
  ): Promise<AtsConnectionBody> {
    return this.connections.change(caller, id, body);
  }

  @Delete(':connection_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Removes a connection that is disconnected; its records stay' })
  @ApiNoContentResponse()
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  remove(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<void> {
    return this.end.remove(caller, id);
  }

  @Post(':connection_id/test')
  @HttpCode(200)
  @ApiOperation({ summary: 'Calls the ATS, and says what came of it' })
  @ApiRecord(AtsTestBody)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  test(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<AtsTestBody> {
    return this.reads.test(caller, id);
  }

  @Get(':connection_id/users')
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({
    summary: 'The active users of the ATS, as whom the connection can write',
    description: 'Read from the ATS now. Empty where each write is made as the credential (Ashby).',
  })
  @ApiPage(AtsUserBody)
  @ApiRefusals({ 409: ['wrong_ats_state', 'ats_gives_no_answer'] })
  users(
    @CurrentCaller() { tenantId }: Caller,
    @Param('connection_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<AtsUserBody>> {
    queryOptions(query, PAGE_OPTIONS);
    return this.reads.usersOf(tenantId, id, readPage(query, `ats-users ${id}`));
  }

  @Post(':connection_id/sync')
  @HttpCode(202)
  @ApiOperation({ summary: 'Reads what has changed in the ATS now; the runs show what came of it' })
  @ApiRecord(AtsConnectionBody, 202)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  sync(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Body() body: SyncAtsConnection,
  ): Promise<AtsConnectionBody> {
    return this.reads.sync(caller, id, body.full === true);
  }

  @Post(':connection_id/pause')
  @HttpCode(200)
  @ApiOperation({ summary: 'Stops polls, applying and writes; webhooks are still stored' })
  @ApiRecord(AtsConnectionBody)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  pause(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<AtsConnectionBody> {
    return this.connections.pause(caller, id, true);
  }

  @Post(':connection_id/resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Resumes a connection that is paused' })
  @ApiRecord(AtsConnectionBody)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  resume(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<AtsConnectionBody> {
    return this.connections.pause(caller, id, false);
  }

  @Post(':connection_id/disconnect')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Removes the webhooks at the ATS, revokes the grant there, and forgets the credential',
    description: 'Records stay. `stays` says what is left to do in the ATS.',
  })
  @ApiRecord(DisconnectedBody)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  disconnect(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<DisconnectedBody> {
    return this.end.disconnect(caller, id);
  }

  @RecentSignIn()
  @Post(':connection_id/tokens')
  @ApiOperation({ summary: 'A further token of the webhook address; it is shown this once. Two can be live' })
  @ApiRecord(AtsConnectionWithTokenBody, 201)
  @ApiRefusals({ 409: ['too_many_tokens', 'wrong_ats_state'] })
  addToken(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Body() body: CreateAtsToken,
  ): Promise<AtsConnectionWithTokenBody> {
    return this.reads.addToken(caller, id, body.api_token);
  }

  @Delete(':connection_id/tokens/:token_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Ends a token now' })
  @ApiNoContentResponse()
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  removeToken(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Param('token_id') tokenId: string,
  ): Promise<void> {
    return this.reads.removeToken(caller, id, tokenId);
  }

  @RecentSignIn()
  @Put(':connection_id/signing-secret')
  @ApiOperation({ summary: 'Sets the secret that webhooks are signed with; without one, signatures are not checked' })
  @ApiRecord(AtsConnectionBody)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  sign(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Body() body: SetSigningSecret,
  ): Promise<AtsConnectionBody> {
    return this.reads.setSigningSecret(caller, id, body.secret);
  }

  @Delete(':connection_id/signing-secret')
  @HttpCode(200)
  @ApiOperation({ summary: 'Removes the secret that was set by hand' })
  @ApiRecord(AtsConnectionBody)
  @ApiRefusals({ 409: ['wrong_ats_state'] })
  unsign(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<AtsConnectionBody> {
    return this.reads.setSigningSecret(caller, id, null);
  }
}
