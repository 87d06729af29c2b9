import { Body, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiFilter, ApiPage, ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import type { ListedAttempt } from '../../engine/delivery/attempts.js';
import { newTaskBody, TaskBody } from '../../engine/work/tasks.dto.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { DirectDelivery } from './direct-delivery.js';
import { ExplainedBody, MessageBody, RedeliverWebhook, ReplayCountBody, ReplayWebhook } from './message-bodies.dto.js';
import { MessagesService } from './messages.service.js';
import { Replays } from './replays.js';
import { WebhookAttemptBody } from './webhooks.dto.js';

const OUTCOMES = ['delivered', 'failed'] as const;
const STATES = ['waiting', 'given_up'] as const;

@ApiController('webhooks')
@RequireScope('webhooks:manage')
@ApiRefusals()
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly direct: DirectDelivery,
    private readonly replays: Replays,
  ) {}

  @RequireScope('webhooks:manage', 'webhooks:read')
  @Get(':webhook_id/attempts')
  @ApiOperation({ summary: 'The requests to an endpoint, newest first, with the first 4 KiB of each answer' })
  @ApiFilter('event_id', 'Only the attempts of this event.')
  @ApiFilter('outcome', 'Only attempts with this outcome.', { enum: OUTCOMES })
  @ApiPage(WebhookAttemptBody)
  async attempts(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<WebhookAttemptBody>> {
    const options = queryOptions(query, ['event_id', 'outcome', ...PAGE_OPTIONS]);
    const outcome = queryChoice('outcome', options.outcome, OUTCOMES);
    const page = readPage(query, `attempts ${id} ${options.event_id ?? ''} ${outcome ?? ''}`);
    const delivered = outcome === undefined ? undefined : outcome === 'delivered';
    const rows = await this.messages.attempts(caller, id, { event: options.event_id, delivered }, page);
    return pageOf(page, rows, ({ place }) => place, listed);
  }

  @RequireScope('webhooks:manage', 'webhooks:read')
  @Get(':webhook_id/messages')
  @ApiOperation({
    summary: 'The messages that wait, oldest first, or those that were given up, newest first',
    description:
      'Of an ordered endpoint a record that waits is listed once, with its next event, in the order of the records.',
  })
  @ApiFilter('state', '`waiting` unless set.', { enum: STATES })
  @ApiPage(MessageBody)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<MessageBody>> {
    const options = queryOptions(query, ['state', ...PAGE_OPTIONS]);
    const state = queryChoice('state', options.state, STATES) ?? 'waiting';
    const page = readPage(query, `messages ${id} ${state}`);
    const rows = await this.messages.list(caller, id, state, page);
    return pageOf(
      page,
      rows,
      (row) => row.place,
      ({ place: _, ...body }) => body,
    );
  }

  @RequireScope('webhooks:manage', 'webhooks:read')
  @Get(':webhook_id/explain')
  @ApiOperation({ summary: 'Why an event did not arrive: what became of the events of a record, or of one event' })
  @ApiFilter(
    'record',
    'The id of the record, such as `cand_…` or `usr_…`; of a candidate or job opening also its `external_id`, or the id that the ATS itself has.',
  )
  @ApiFilter('event_id', 'The id of one event (`evt_…`).')
  @ApiRecord(ExplainedBody)
  explain(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Query() query: QueryMap,
  ): Promise<ExplainedBody> {
    const { record, event_id: event } = queryOptions(query, ['record', 'event_id']);
    return this.messages.explain(caller, id, { record, event });
  }

  @Post(':webhook_id/redeliver')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sends one event again, at once',
    description:
      'A success cancels the attempt that waits, and the one that was given up. A failure leaves the schedule unchanged.',
  })
  @ApiRecord(WebhookAttemptBody)
  @ApiRefusals({ 409: ['endpoint_unreadable'] })
  redeliver(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Body() body: RedeliverWebhook,
  ): Promise<WebhookAttemptBody> {
    return this.direct.redeliver(caller, id, body.event_id);
  }

  @Post(':webhook_id/replay')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Sends events again in a task, oldest first; a `dry_run` answers 200 with their number',
    description: 'Either `since` or `given_up: true`. The events keep their ids, so a receiver can drop what it has.',
  })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: ReplayCountBody })
  @ApiRefusals({ 409: ['too_many_tasks'] })
  async replay(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Body() body: ReplayWebhook,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | ReplayCountBody> {
    if (body.dry_run !== true) return newTaskBody(await this.replays.begin(caller, id, body));
    res.status(200);
    return this.replays.count(caller, id, body);
  }
}

function listed(row: ListedAttempt): WebhookAttemptBody {
  const { delivery_id, sent_at, outcome, status, fault, detail, duration_ms, address, answer } = row;
  return { event_id: delivery_id, at: sent_at, outcome, status, fault, detail, ms: duration_ms, address, answer };
}
