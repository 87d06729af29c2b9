import { ApiProperty } from '@nestjs/swagger';
import { EVENT_NAMES, EVENTS, type EventName, type Severity } from './catalogue.js';
import { eventId } from './event-recorder.js';
import type { StoredEvent } from './event-source.js';

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

export const FEED_LIMIT = 1_000;

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

/**
 * Returns the body of an event: the text of webhooks, which the feed shows beside id, severity and runbook.
 *
 * @param data JSON text, which stays unchanged
 */
export function bodyText({ event, at, data }: { event: string; at: Date; data: string }): string {
  return `{"event":"${event}","timestamp":"${at.toISOString()}","data":${data}}`;
}

const ENDS = new Map(
  Object.entries(EVENTS).map(([event, { severity, runbook }]) => [
    event,
    `,"severity":"${severity}","runbook":${JSON.stringify(runbook)}}`,
  ]),
);

/** The text contains the body letter for letter; its data is never parsed. */
export function eventText(event: StoredEvent): string {
  return `{"id":"${eventId(event.sequence)}",${bodyText(event).slice(1, -1)}${ENDS.get(event.event) ?? '}'}`;
}

export function pageText(
  events: readonly StoredEvent[],
  name: 'next_after' | 'next_cursor',
  next: string | null,
): string {
  return `{"data":[${events.map(eventText).join(',')}],"${name}":${JSON.stringify(next)}}`;
}
