import { ApiProperty } from '@nestjs/swagger';
import { LEAVER_STATES } from './leaver.rules.js';
import { ENTRY_KINDS } from './timeline.rules.js';

/** One thing that happened. The documentation of a body whose other fields depend on its kind. */
class HistoryEntryShape {
  @ApiProperty({ example: 'chg_42' })
  id!: string;
  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:00:00.123456Z',
    description: 'When it was written down: of a delivery, when its outcome was known; of a session, its begin.',
  })
  at!: string;
  @ApiProperty({ enum: ENTRY_KINDS, description: 'Says which other fields there are.' })
  kind!: string;
}

export class HistoryPage {
  @ApiProperty({ type: [HistoryEntryShape] })
  data!: HistoryEntryShape[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}

class LeaverPerson {
  @ApiProperty({ type: String, nullable: true })
  email!: string | null;
  @ApiProperty()
  first_name!: string;
  @ApiProperty()
  last_name!: string;
  @ApiProperty({ type: String, nullable: true })
  external_id!: string | null;
}

class LeaverMillisecondsShape {
  @ApiProperty({ example: 4 })
  commit!: number;
  @ApiProperty({ type: Number, nullable: true, example: 4 })
  sessions!: number | null;
  @ApiProperty({ type: Number, nullable: true, example: 9 })
  forward!: number | null;
  @ApiProperty({ type: Number, nullable: true, example: 31 })
  confirm!: number | null;
}

class LeaverError {
  @ApiProperty({ example: 'refused' })
  code!: string;
  @ApiProperty({ type: String, nullable: true })
  detail!: string | null;
}

class LeaverShape {
  @ApiProperty({ example: 'chg_42', description: 'The change that it is.' })
  id!: string;
  @ApiProperty()
  user_id!: string;
  @ApiProperty({ example: 42 })
  change_sequence!: number;
  @ApiProperty({ enum: ['deactivated', 'deleted'] })
  kind!: string;
  @ApiProperty({ type: LeaverPerson })
  person!: LeaverPerson;
  @ApiProperty({ type: Object, additionalProperties: true, description: 'Request, directory and actor.' })
  source!: unknown;
  @ApiProperty({ format: 'date-time', description: 'When the request arrived; of a held departure, its release.' })
  requested_at!: string;
  @ApiProperty({ format: 'date-time' })
  committed_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  sessions_ended_at!: string | null;
  @ApiProperty({ example: 2, description: 'How many live sessions it ended.' })
  sessions_ended!: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'First said to the platform.' })
  forwarded_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the platform’s answer was here.',
  })
  confirmed_at!: string | null;
  @ApiProperty({ enum: LEAVER_STATES })
  state!: string;
  @ApiProperty({ type: LeaverMillisecondsShape, description: 'From the request to each step.' })
  milliseconds!: LeaverMillisecondsShape;
  @ApiProperty({ type: LeaverError, required: false, description: 'Of a parked one.' })
  error?: LeaverError;
}

export class LeaverPage {
  @ApiProperty({ type: [LeaverShape] })
  data!: LeaverShape[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}
