import { ApiProperty } from '@nestjs/swagger';

/** Where an entry comes from. */
const CANDIDATE_ENTRY_KINDS = ['event', 'ats_event', 'interview', 'ats_write'] as const;

/** One of {@link CANDIDATE_ENTRY_KINDS}. */
export type CandidateEntryKind = (typeof CANDIDATE_ENTRY_KINDS)[number];

/** One entry of the history of a candidate. */
export class CandidateEntryBody {
  @ApiProperty({ example: 'awr_01k0000000abcdefghjkmnpqrs', description: 'Of the event, webhook, interview or write.' })
  id!: string;
  @ApiProperty({ format: 'date-time', type: String })
  at!: string;
  @ApiProperty({
    enum: CANDIDATE_ENTRY_KINDS,
    description:
      '`event`: a change here, which webhooks of the tenant get; `ats_event`: a webhook of the ATS came in; `interview`: an interview, as it is now; `ats_write`: a link or scorecard goes out to the ATS.',
  })
  kind!: CandidateEntryKind;
  @ApiProperty({ example: 'put scorecard', description: 'The name of the event, or what is scheduled or written.' })
  what!: string;
  @ApiProperty({ type: String, nullable: true, example: 'waiting', description: 'null: an `event` has no state.' })
  state!: string | null;
  @ApiProperty({ description: 'Whether something of it still waits: to be applied, to get its link, to be written.' })
  waits!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'no_writer',
    description: 'Why it is in this state, as a code.',
  })
  reason!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The same in words.' })
  detail!: string | null;
  @ApiProperty({ type: String, nullable: true })
  ats_connection_id!: string | null;
  @ApiProperty({ type: String, nullable: true })
  interview_id!: string | null;
}
