import { ApiProperty } from '@nestjs/swagger';
import { Flag, Moment, Ruled, Whole } from '../../base/http/fields.js';
import { sequenceOfEvent } from '../../engine/events/event-recorder.js';
import { EXPLAINED } from './explain.rules.js';

const EVENT_ID = 'evt_0000000000004711';

export class MessageBody {
  @ApiProperty({ example: EVENT_ID, description: 'Of an ordered endpoint: the next event of the record.' })
  event_id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'candidate.created' })
  event!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The id of the record that it is about.' })
  record!: string | null;
  @ApiProperty({ description: 'When it happened.' })
  at!: Date;
  @ApiProperty({ enum: ['waiting', 'given_up'] })
  state!: 'waiting' | 'given_up';
  @ApiProperty({ type: 'integer', nullable: true, description: 'Tries that failed, of one that waits.' })
  failures!: number | null;
  @ApiProperty({ type: Date, nullable: true, description: 'null: as soon as the endpoint takes it.' })
  next_attempt_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  given_up_at!: Date | null;
  @ApiProperty({ type: String, nullable: true, description: 'The last failure of one that was given up.' })
  reason!: string | null;
}

class ExplainedEventBody {
  @ApiProperty({ example: EVENT_ID })
  event_id!: string;
  @ApiProperty({ example: 'candidate.created' })
  event!: string;
  @ApiProperty({ type: String, nullable: true })
  record!: string | null;
  @ApiProperty({ description: 'When it happened.' })
  at!: Date;
  @ApiProperty({ enum: EXPLAINED, example: 'waiting' })
  outcome!: (typeof EXPLAINED)[number];
  @ApiProperty({ description: 'One sentence.' })
  why!: string;
  @ApiProperty({ type: Date, nullable: true })
  delivered_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  given_up_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  next_attempt_at!: Date | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Tries that failed so far.' })
  failures!: number | null;
}

export class ExplainedBody {
  @ApiProperty({ description: 'Whether there is such an event.' })
  found!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'With `found: false`.' })
  why!: string | null;
  @ApiProperty({ type: [ExplainedEventBody], description: 'Newest first; of a record at most 50.' })
  events!: ExplainedEventBody[];
}

export class ReplayCountBody {
  @ApiProperty({ type: 'integer' })
  count!: number;
  @ApiProperty({ description: 'There are more than were counted.' })
  more!: boolean;
}

const eventIdProblem = (value: unknown): string | null =>
  typeof value === 'string' && sequenceOfEvent(value) !== null ? null : 'must be the id of an event (evt_…)';

export class RedeliverWebhook {
  @Ruled(eventIdProblem, { type: String, example: EVENT_ID })
  event_id!: string;
}

export class ReplayWebhook {
  @Moment({ optional: true, description: 'Sends everything again that the endpoint takes, from this moment on.' })
  since?: Date;

  @Flag({ optional: true, description: 'Sends again what was given up.' })
  given_up?: boolean;

  @Whole({ min: 1, max: 1_000, optional: true, description: 'Messages a second; 50 unless set.', example: 50 })
  rate?: number;

  @Flag({ optional: true, description: 'Only counts.' })
  dry_run?: boolean;
}
