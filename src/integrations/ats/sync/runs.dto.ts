import { ApiProperty } from '@nestjs/swagger';
import { WAITING_REASONS, type WaitingReason } from '../connections/waiting.rules.js';
import { PASS_REASONS, PHASES, type PassReason, type Phase } from './pass.js';
import { RUN_STATES, type RunState } from './runs.repository.js';

/** What a run came to. */
class RunCountsBody {
  @ApiProperty({ type: 'integer', description: 'Records that the ATS has shown.' })
  read!: number;
  @ApiProperty({ type: 'integer' })
  created!: number;
  @ApiProperty({ type: 'integer' })
  updated!: number;
  @ApiProperty({ type: 'integer', description: 'Job openings.' })
  closed!: number;
  @ApiProperty({ type: 'integer', description: 'Candidates, merged ones included.' })
  deleted!: number;
  @ApiProperty({ type: 'integer', description: 'Records outside of what the connection takes.' })
  not_taken!: number;
  @ApiProperty({ type: 'integer', description: 'Records that could not be taken.' })
  left_out!: number;
}

/** A record that could not be taken. */
class LeftOutBody {
  @ApiProperty({ type: String, nullable: true })
  remote_id!: string | null;
  @ApiProperty()
  reason!: string;
}

/** One pass over the records of an ATS. */
export class RunBody {
  @ApiProperty({ example: 'run_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({
    enum: PASS_REASONS,
    description: '`webhooks_made`: the run reads what changed while the ATS had no webhooks to tell of it.',
  })
  reason!: PassReason;
  @ApiProperty({ description: 'Everything was read, and what the ATS has no more was noticed.' })
  full!: boolean;
  @ApiProperty({
    enum: RUN_STATES,
    description: '`waiting`: the ATS does not answer; the run resumes at its place later.',
  })
  state!: RunState;
  @ApiProperty({
    type: String,
    enum: WAITING_REASONS,
    nullable: true,
    description:
      'Of a run that is not over, why its next page is not read at this moment. `under_way`: a worker reads; where its process has ended, another one continues within 20 seconds. `queued`: its next page is read next.',
  })
  waiting_reason!: WaitingReason | null;
  @ApiProperty({ type: String, enum: PHASES, nullable: true, description: 'What is being read.' })
  phase!: Phase | null;
  @ApiProperty({ type: RunCountsBody })
  counts!: RunCountsBody;
  @ApiProperty({ type: [LeftOutBody], description: 'The first hundred.' })
  left_out!: LeftOutBody[];
  @ApiProperty({ type: String, nullable: true })
  error!: string | null;
  @ApiProperty({ type: String, format: 'date-time' })
  started_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finished_at!: string | null;
  @ApiProperty({ type: 'integer', nullable: true })
  duration_ms!: number | null;
}
