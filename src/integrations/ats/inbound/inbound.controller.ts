import { Controller, Post, Req, Res, Body, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiFilter, ApiProblems, ApiRefusals, ApiPage, ApiRecord } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { InboundDoor } from './inbound-door.js';
import { INBOUND_STATES } from './inbound-event.js';
import {
  DismissInboundEvent,
  InboundEventListed,
  InboundEventShown,
  RetriedBody,
  listedEvent,
  shownEvent,
} from './inbound-events.dto.js';
import { InboundEventsService } from './inbound-events.service.js';
import { InboundRefused } from './inbound.errors.js';
import { InboundService } from './inbound.service.js';

const NOTHING = Buffer.alloc(0);

@Controller('api/webhooks')
@ApiTags('ats-webhooks')
@ApiProblems()
export class InboundController {
  constructor(
    private readonly door: InboundDoor,
    private readonly inbound: InboundService,
  ) {}

  @Post(':ats_provider')
  @ApiOperation({
    summary: 'Receives a webhook of an ATS',
    description:
      'The event is stored as it came, answered with the status that the provider takes as received, and applied ' +
      'afterwards. A second delivery of an event has no effect. A body that is not understood is kept, and shown with ' +
      'the reason.',
  })
  @ApiParam({ name: 'ats_provider', example: 'greenhouse' })
  @ApiFilter('api_token', 'The token of the connection, or in `X-Api-Token`.')
  @ApiResponse({ status: 200, description: 'Received; without a body.' })
  @ApiRefusals({
    400: [],
    401: ['token_unknown'],
    403: [],
    409: [],
    422: [],
    507: ['storage_exhausted'],
  })
  async receive(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    try {
      const answer = await this.inbound.receive(this.door.enter(req), req.rawBody ?? NOTHING, req.headers);
      res.set(answer.headers).status(answer.status).end();
    } catch (error) {
      throw error instanceof InboundRefused ? this.door.refused(req, res, error) : error;
    }
  }
}

@ApiController('ats-connections/:connection_id/events', { tag: 'ats-connections' })
@RequireScope('ats:manage')
@ApiRefusals()
export class InboundEventsController {
  constructor(private readonly events: InboundEventsService) {}

  @Get()
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'The webhooks of the ATS that were received, newest first, and what became of them' })
  @ApiFilter('state', undefined, { enum: INBOUND_STATES })
  @ApiFilter('remote_id', 'Only events about the record with this id in the ATS.')
  @ApiPage(InboundEventListed)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<InboundEventListed>> {
    const options = queryOptions(query, ['state', 'remote_id', ...PAGE_OPTIONS]);
    const state = queryChoice('state', options.state, INBOUND_STATES);
    const page = readPage(query, `ats-events ${id} ${state ?? ''} ${options.remote_id ?? ''}`);
    const rows = await this.events.list(caller, id, { state, remoteId: options.remote_id }, page);
    return pageOf(page, rows, (row) => row.id, listedEvent);
  }

  @Get(':event_id')
  @ApiOperation({
    summary: 'One event with the body as it came',
    description: 'It contains personal data of candidates, so `ats:read` does not open it.',
  })
  @ApiRecord(InboundEventShown)
  async get(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Param('event_id') eventId: string,
  ): Promise<InboundEventShown> {
    return shownEvent(await this.events.get(caller, id, eventId));
  }

  @Post('retry')
  @HttpCode(200)
  @ApiOperation({ summary: 'Lets the failed events be applied again, oldest first, at most 1,000 at a time' })
  @ApiRecord(RetriedBody)
  async retryFailed(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<RetriedBody> {
    return { retried: await this.events.retryFailed(caller, id) };
  }

  @Post(':event_id/retry')
  @HttpCode(200)
  @ApiOperation({ summary: 'Lets one event be applied again' })
  @ApiRecord(InboundEventShown)
  @ApiRefusals({ 409: ['wrong_event_state'] })
  async retry(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Param('event_id') eventId: string,
  ): Promise<InboundEventShown> {
    return shownEvent(await this.events.retry(caller, id, eventId));
  }

  @Post(':event_id/dismiss')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({ summary: 'Notes that an event does not matter, with the reason' })
  @ApiRecord(InboundEventShown)
  @ApiRefusals({ 409: ['wrong_event_state'] })
  async dismiss(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Param('event_id') eventId: string,
    @Body() body: DismissInboundEvent,
  ): Promise<InboundEventShown> {
    return shownEvent(await this.events.dismiss(caller, id, eventId, body.reason));
  }
}
