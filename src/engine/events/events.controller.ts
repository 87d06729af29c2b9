import { Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { sendJson } from '../../base/http/answer.js';
import { ApiFilter, ApiRefusals } from '../../base/http/api-answers.js';
import { encodeCursor, PAGE_OPTIONS, readPage } from '../../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { EVENT_NAMES } from './catalogue.js';
import { pageText, EventBody, EventPage, FEED_LIMIT } from './events.dto.js';
import { EventsService } from './events.service.js';

const DEFAULT_LIMIT = 50;
const OPTIONS = ['event', 'since', 'after', ...PAGE_OPTIONS] as const;
const OF_LIST = ['event', 'since', 'cursor'] as const;
type Options = ReturnType<typeof queryOptions<(typeof OPTIONS)[number]>>;

/** The events of a tenant: as a list, and as a feed for consumers that keep a position. */
@ApiController('events')
@RequireScope('audit:read', 'webhooks:manage')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @ApiOperation({
    summary: 'Events of the tenant: a list, newest first; with `after` a feed, oldest first',
    description:
      'The list takes `event`, `since` and `cursor`; a page with a filter can have fewer events than `limit`, and more may ' +
      'follow while `next_cursor` is not null. The feed takes `after` and has `next_after`, the position of the next ' +
      'request, also when the page is empty. No event ever appears in the feed before a position that was read. ' +
      '`event`, `timestamp` and `data` are the very text that webhooks send.',
  })
  @ApiFilter('event', 'Shows events of this name alone.', { enum: EVENT_NAMES })
  @ApiFilter('since', 'Shows events from this moment on.', 'date-time')
  @ApiFilter(
    'after',
    'The feed begins behind this position: the id of the last event that was processed, or a `next_after`. Empty: with ' +
      'the oldest event that is kept.',
    { schema: { type: 'string' } },
  )
  @ApiFilter('limit', 'At most 200 in the list, and 1000 in the feed.', {
    schema: { type: 'integer', minimum: 1, maximum: FEED_LIMIT, default: DEFAULT_LIMIT },
  })
  @ApiFilter('cursor', 'The `next_cursor` of the page before, of the list.')
  @ApiExtraModels(EventBody)
  @ApiResponse({ status: 200, schema: { $ref: getSchemaPath(EventPage) } })
  @ApiExtraModels(EventPage)
  @ApiRefusals({ 400: ['invalid_cursor'], 410: ['position_too_old'] })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap, @Res() res: BridgeResponse): Promise<void> {
    const options = queryOptions(query, OPTIONS);
    const text =
      options.after === undefined
        ? await this.listText(caller.tenantId, query, options)
        : await this.feedText(caller.tenantId, options.after, options);
    sendJson(res, 200, text);
  }

  private async listText(tenantId: string, query: QueryMap, options: Options): Promise<string> {
    const filter = {
      event: queryChoice('event', options.event, EVENT_NAMES),
      since: queryTime('since', options.since),
    };
    const page = readPage(query, `events ${options.event ?? ''} ${options.since ?? ''}`);
    const { events, next } = await this.events.list(tenantId, filter, page);
    return pageText(events, 'next_cursor', next === null ? null : encodeCursor({ a: next, l: page.list }));
  }

  private async feedText(tenantId: string, after: string, options: Options): Promise<string> {
    const other = OF_LIST.find((name) => options[name] !== undefined);
    if (other !== undefined) throw new InvalidFields([{ field: other, message: 'does not go with after' }]);
    const limit = options.limit === undefined ? DEFAULT_LIMIT : Number(options.limit);
    if (options.limit !== undefined && !(/^\d{1,4}$/.test(options.limit) && limit >= 1 && limit <= FEED_LIMIT)) {
      throw new InvalidFields([{ field: 'limit', message: `must be a whole number from 1 to ${FEED_LIMIT}` }]);
    }
    const { events, nextAfter } = await this.events.feed(tenantId, after === '' ? null : after, limit);
    return pageText(events, 'next_after', nextAfter);
  }
}
