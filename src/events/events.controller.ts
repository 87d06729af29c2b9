import { Get, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery } from '@nestjs/swagger';
import { ApiPage } from '../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../base/http/query.js';
import { ApiController } from '../tenants/api-controller.js';
import type { Caller } from '../tenants/caller.js';
import { CurrentCaller } from '../tenants/current-caller.js';
import { RequireScope } from '../tenants/require-scope.js';
import { EVENT_NAMES } from './catalogue.js';
import { eventBody } from './event.mapping.js';
import { EventBody } from './events.dto.js';
import { EventsRepository } from './events.repository.js';

/** What a tenant is told: credentials that expire, a destination that is paused, changes that are parked. */
@ApiController('events')
@RequireScope('audit:read')
export class EventsController {
  constructor(private readonly events: EventsRepository) {}

  @Get()
  @ApiOperation({ summary: 'Events of the tenant, newest first, each with its severity and what to do' })
  @ApiQuery({ name: 'event', required: false, enum: EVENT_NAMES, description: 'Shows events of this name alone.' })
  @ApiQuery({
    name: 'since',
    required: false,
    description: 'Shows events from this moment on.',
    schema: { type: 'string', format: 'date-time' },
  })
  @ApiPage(EventBody)
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<EventBody>> {
    const options = queryOptions(query, ['event', 'since', ...PAGE_OPTIONS]);
    const filter = {
      event: queryChoice('event', options.event, EVENT_NAMES),
      since: queryTime('since', options.since),
    };
    const page = readPage(query, `events ${options.event ?? ''} ${options.since ?? ''}`);
    const rows = await this.events.list(caller.tenantId, filter, page);
    return pageOf(page, rows, (row) => row.sequence, eventBody);
  }
}
