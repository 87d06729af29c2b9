import { ApiProperty } from '@nestjs/swagger';
import { EVENT_NAMES, EVENTS, type EventName, type Severity } from './catalogue.js';

/** An event of a tenant. */
export class EventBody {
  @ApiProperty({ example: 'evt_0000000000004711' })
  id!: string;
  @ApiProperty({ enum: EVENT_NAMES, example: 'credential.expiring' })
  event!: EventName;
  @ApiProperty({ description: 'When the fact was recorded.' })
  timestamp!: Date;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The facts; the properties depend on `event`.',
    example: EVENTS['credential.expiring'].example,
  })
  data!: object;
  @ApiProperty({ enum: ['info', 'warning', 'critical'], description: '`critical`: users or changes are affected now.' })
  severity!: Severity;
  @ApiProperty({ description: 'What to do, in one line.', example: EVENTS['credential.expiring'].runbook })
  runbook!: string;
}

/** The most events of a page of the feed. */
export const FEED_LIMIT = 1_000;

/** A page of the list, or of the feed. */
export class EventPage {
  @ApiProperty({ type: [EventBody] })
  data!: EventBody[];
  @ApiProperty({ type: String, nullable: true, required: false, description: 'Of the list; null: the last page.' })
  next_cursor?: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    example: 'evt_0000000000004711',
    description: 'Of the feed: `after` of the next request, also when the page is empty.',
  })
  next_after?: string | null;
}
