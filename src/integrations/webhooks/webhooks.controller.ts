import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../tenancy/tenants/storage/storage.errors.js';
import { DirectDelivery } from './direct-delivery.js';
import {
  ChangedWebhookBody,
  WebhookAttemptBody,
  WebhookBody,
  WebhookWithSecretBody,
  ChangeWebhook,
  CreateWebhook,
  PauseWebhook,
  RotateSecret,
  TestWebhook,
} from './webhooks.dto.js';
import { WebhooksService } from './webhooks.service.js';

@ApiController('webhooks')
@RequireScope('webhooks:manage')
@ApiRefusals()
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly direct: DirectDelivery,
  ) {}

  @RecentSignIn()
  @Post()
  @ApiOperation({
    summary: 'A new endpoint; its secret is shown this once',
    description: 'No handshake: the endpoint takes events from now on. An endpoint belongs to the key that made it.',
  })
  @ApiRecord(WebhookWithSecretBody, 201)
  @ApiRefusals({ 409: ['too_many_webhooks'] })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateWebhook): Promise<WebhookWithSecretBody> {
    return this.webhooks.create(caller, body);
  }

  @RequireScope('webhooks:manage', 'webhooks:read')
  @Get()
  @ApiOperation({ summary: 'The endpoints that the key made, oldest first; with `admin`, all' })
  @ApiPage(WebhookBody)
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<WebhookBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'webhooks');
    const all = await this.webhooks.list(caller);
    const rest = all.filter(({ id }) => page.after === null || id > page.after);
    return pageOf(
      page,
      rest,
      ({ id }) => id,
      (body) => body,
    );
  }

  @RequireScope('webhooks:manage', 'webhooks:read')
  @Get(':webhook_id')
  @ApiOperation({ summary: 'One endpoint, with its state and what waits' })
  @ApiRecord(WebhookBody)
  get(@CurrentCaller() caller: Caller, @Param('webhook_id') id: string): Promise<WebhookBody> {
    return this.webhooks.get(caller, id);
  }

  @RecentSignIn()
  @Patch(':webhook_id')
  @ApiOperation({
    summary: 'Changes an endpoint; what waits is sent to a new address',
    description: 'Another origin gets another secret, which the answer shows this once, and needs `headers` again.',
  })
  @ApiRecord(ChangedWebhookBody)
  change(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Body() body: ChangeWebhook,
  ): Promise<ChangedWebhookBody> {
    return this.webhooks.change(caller, id, body);
  }

  @Delete(':webhook_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Removes an endpoint with all that waits for it' })
  @ApiNoContentResponse()
  remove(@CurrentCaller() caller: Caller, @Param('webhook_id') id: string): Promise<void> {
    return this.webhooks.remove(caller, id);
  }

  @RecentSignIn()
  @Post(':webhook_id/rotate-secret')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({
    summary: 'A new secret; it is shown this once',
    description: 'The present secrets still sign beside it for the overlap, a day unless set.',
  })
  @ApiRecord(WebhookWithSecretBody)
  rotate(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Body() body: RotateSecret,
  ): Promise<WebhookWithSecretBody> {
    return this.webhooks.rotateSecret(caller, id, body);
  }

  @RecentSignIn()
  @Post(':webhook_id/revoke-secrets')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({ summary: 'Ends all secrets but the newest, now' })
  @ApiRecord(WebhookBody)
  revoke(@CurrentCaller() caller: Caller, @Param('webhook_id') id: string): Promise<WebhookBody> {
    return this.webhooks.revokeSecrets(caller, id);
  }

  @Post(':webhook_id/test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sends the example of an event, signed, and says what came of it',
    description: 'The `webhook-id` begins with `test_`. A failure is an attempt like others, and changes no state.',
  })
  @ApiRecord(WebhookAttemptBody)
  @ApiRefusals({ 409: ['endpoint_unreadable'] })
  test(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Body() body: TestWebhook,
  ): Promise<WebhookAttemptBody> {
    return this.direct.test(caller, id, body.event);
  }

  @Post(':webhook_id/pause')
  @HttpCode(200)
  @ApiOperation({ summary: 'Stops deliveries; events wait' })
  @ApiRecord(WebhookBody)
  pause(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Body() body: PauseWebhook,
  ): Promise<WebhookBody> {
    return this.webhooks.pause(caller, id, body.reason ?? null);
  }

  @Post(':webhook_id/resume')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Resumes deliveries, after a test event was taken',
    description: 'What waited is sent. If the test event is not taken, nothing changes and `attempt` says why.',
  })
  @ApiRecord(WebhookBody)
  @ApiRefusals({ 409: ['endpoint_not_ready', 'endpoint_unreadable'] })
  resume(@CurrentCaller() caller: Caller, @Param('webhook_id') id: string): Promise<WebhookBody> {
    return this.direct.resume(caller, id);
  }
}
