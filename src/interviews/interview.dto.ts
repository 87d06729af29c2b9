import { ApiProperty } from '@nestjs/swagger';
import { Choice, Moment, Ruled } from '../base/http/fields.js';
import { Text } from '../base/http/text.js';
import { ServerSet } from '../base/http/validate.js';
import { INTERVIEW_STATES, type InterviewState } from './interview.js';
import { interviewersProblem, timeZoneProblem } from './interview.rules.js';

const SERVER_FIELDS = ['id', 'candidate_id', 'meeting_url', 'created_at', 'updated_at'] as const;

const ZONE = {
  type: String,
  example: 'Europe/Zurich',
  description: 'A name of the IANA time zone database, for calendars.',
};
const INTERVIEWERS = {
  type: String,
  isArray: true,
  maxItems: 20,
  example: ['Ada Lovelace <ada@example.com>'],
  description: 'Names or e-mail addresses, each once.',
} as const;

/** A new interview. */
@ServerSet(...SERVER_FIELDS, 'state')
export class ScheduleInterview {
  @Moment({ example: '2026-03-05T13:00:00Z' })
  starts_at!: Date;
  @Moment({ example: '2026-03-05T13:45:00Z', description: 'After `starts_at`, by at most 24 hours.' })
  ends_at!: Date;
  @Ruled(timeZoneProblem, ZONE, { optional: true, nullable: true })
  time_zone?: string | null;
  @Ruled(interviewersProblem, INTERVIEWERS, { optional: true })
  interviewers?: string[];
  @Text({
    max: 255,
    optional: true,
    nullable: true,
    description: 'The id of an opening. Left out: the one that `metadata.job_opening_id` of the candidate names.',
  })
  job_id?: string | null;
}

/** A JSON merge patch (RFC 7396) of an interview. Times, interviewers and opening change while it is scheduled. */
@ServerSet(...SERVER_FIELDS)
export class ChangeInterview {
  @Moment({ optional: true })
  starts_at?: Date;
  @Moment({ optional: true })
  ends_at?: Date;
  @Ruled(timeZoneProblem, ZONE, { optional: true, nullable: true })
  time_zone?: string | null;
  @Ruled(interviewersProblem, INTERVIEWERS, { optional: true })
  interviewers?: string[];
  @Text({ max: 255, optional: true, nullable: true, description: 'The id of an opening; null: none.' })
  job_id?: string | null;
  @Choice(INTERVIEW_STATES, {
    optional: true,
    description:
      '`scheduled` moves to `in_progress`, `cancelled` or `no_show`; `in_progress` to `completed`, `cancelled` or `no_show`.',
  })
  state?: InterviewState;
}

/** An interview as this API shows it. */
export class InterviewBody {
  @ApiProperty({ example: 'int_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty({ example: 'cand_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  candidate_id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'job_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  job_id!: string | null;
  @ApiProperty({ enum: INTERVIEW_STATES })
  state!: InterviewState;
  @ApiProperty({ type: String, format: 'date-time' })
  starts_at!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  ends_at!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Europe/Zurich' })
  time_zone!: string | null;
  @ApiProperty({ type: [String], example: ['Ada Lovelace <ada@example.com>'] })
  interviewers!: string[];
  @ApiProperty({ type: String, format: 'uri', nullable: true, description: 'Where the interview takes place.' })
  meeting_url!: string | null;
  @ApiProperty({ type: String, format: 'date-time' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  updated_at!: string;
}

/** A page of interviews. */
export class InterviewListBody {
  @ApiProperty({ type: [InterviewBody] })
  data!: InterviewBody[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The `updated_since` of the next call: no late write is missed, and an interview may come twice.',
  })
  next_updated_since!: string;
}
