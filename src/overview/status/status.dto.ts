import { ApiProperty, PickType } from '@nestjs/swagger';
import { InterviewEngineBody } from '../../hiring/interviews/engine/engine.dto.js';

const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;
const TIME = { type: String, format: 'date-time', nullable: true } as const;

class DestinationStatus {
  @ApiProperty({ enum: ['ok', 'open', 'paused', 'no_platform_yet', 'no_key_yet', 'key_unreadable'] })
  state!: string;
  @ApiProperty({ description: 'The state in one sentence, with what to do.' })
  message!: string;
  @ApiProperty({ ...TIME, description: 'Since when it has this state.' })
  since!: Date | null;
  @ApiProperty(TIME)
  last_success_at!: Date | null;
}

class RateStatus {
  @ApiProperty({ type: Number, example: 420.2, description: 'Changes a minute that the platform took.' })
  last_5_minutes!: number;
  @ApiProperty({ type: Number, example: 398.4 })
  last_15_minutes!: number;
}

class GuardStatus {
  @ApiProperty({ type: 'integer', description: 'Users whom the guard holds.' })
  held!: number;
  @ApiProperty({ type: [String], description: 'The ids of their directories.' })
  directories!: string[];
}

class LastEvent {
  @ApiProperty({ example: 'evt_0000000000000042' })
  id!: string;
  @ApiProperty({ example: 'provisioning.held' })
  event!: string;
  @ApiProperty({ format: 'date-time' })
  at!: Date;
}

class EngineStatus extends PickType(InterviewEngineBody, ['state', 'message', 'waiting', 'not_taken']) {}

/** The state of a tenant. */
export class StatusBody {
  @ApiProperty({ description: 'The platform connection.' })
  destination!: DestinationStatus;
  @ApiProperty({ type: 'integer', description: 'Users for whom a change waits for the platform.' })
  waiting!: number;
  @ApiProperty({ ...TIME, description: 'Since when the oldest of these changes waits.' })
  oldest_waiting_since!: Date | null;
  @ApiProperty()
  rate!: RateStatus;
  @ApiProperty({
    ...TIME,
    description: 'When nothing will wait at this rate; null: nothing waits, or nothing is taken.',
  })
  estimated_end!: Date | null;
  @ApiProperty({
    ...COUNTS,
    example: { refused: 2 },
    description: 'Users whose change is parked, by reason.',
  })
  parked!: Record<string, number>;
  @ApiProperty({ ...COUNTS, example: { no_role: 3 }, description: 'Held users by reason, up to 10 000 in all.' })
  held!: Record<string, number>;
  @ApiProperty()
  guard!: GuardStatus;
  @ApiProperty({ description: 'The interview engine.' })
  interview_engine!: EngineStatus;
  @ApiProperty({ type: LastEvent, nullable: true, description: 'The newest event of the tenant.' })
  last_event!: LastEvent | null;
}
