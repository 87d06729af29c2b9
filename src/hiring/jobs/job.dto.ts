import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { Choice, Moment, Text } from '../../base/http/fields.js';
import { ShownType, Times, UpdatesPage } from '../../base/http/shown.js';
import { ServerSet } from '../../base/http/validate.js';
import { thinIfLarge } from '../../engine/events/event-recorder.js';
import { JOB_STATUSES, type JobStatus, type JobRow } from './job.js';

const WEB_ADDRESS = {
  test: /^https?:\/\/[^\s/]\S*$/i,
  message: 'must be an address that begins with https:// or http://',
};

const SHOWN = [
  'title',
  'status',
  'ats',
  'department',
  'location',
  'employment_type',
  'url',
  'opened_at',
  'closed_at',
] as const;

/** A whole opening by the caller's own key: a new one, or the fields of an existing one. */
@ServerSet('id', 'ats_connection_id', 'created_at', 'updated_at', 'sequence')
export class PutJob {
  @Text({ max: 200, example: 'Backend Engineer' })
  title!: string;
  @Choice(JOB_STATUSES, { optional: true, description: 'A new opening is `open` when left out.' })
  status?: JobStatus;
  @Text({ max: 200, optional: true, nullable: true, description: 'The ATS by name.', example: 'bullhorn' })
  ats?: string | null;
  @Text({ max: 200, optional: true, nullable: true, example: 'Engineering' })
  department?: string | null;
  @Text({ max: 200, optional: true, nullable: true, example: 'Zürich' })
  location?: string | null;
  @Text({ max: 200, optional: true, nullable: true, example: 'full_time' })
  employment_type?: string | null;
  @Text({ max: 2000, optional: true, nullable: true, format: 'uri', pattern: WEB_ADDRESS })
  url?: string | null;
  @Moment({
    optional: true,
    nullable: true,
    description: 'When left out: the moment at which the opening is open first.',
  })
  opened_at?: Date | null;
  @Moment({
    optional: true,
    nullable: true,
    description: 'Of a closed opening, now when left out; another one has none.',
  })
  closed_at?: Date | null;
  @Text({ max: 255, optional: true, nullable: true, description: 'The one in the address, or left out.' })
  external_id?: string | null;
}

export class JobBody extends IntersectionType(ShownType(PutJob, SHOWN), Times) {
  @ApiProperty({ example: 'job_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty({ description: 'The id in the ATS.', example: 'bh_4711' })
  external_id!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The connection that brings the opening.' })
  ats_connection_id!: string | null;
}

export class JobListBody extends UpdatesPage(JobBody, 'an opening') {}

export function jobBody({ sequence: _, ...row }: JobRow): JobBody {
  return {
    ...row,
    opened_at: row.opened_at?.toISOString() ?? null,
    closed_at: row.closed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function jobData(row: JobRow): string {
  const { id, external_id, sequence } = row;
  const data = JSON.stringify({ ...jobBody(row), sequence });
  return thinIfLarge('job.synced', data, { id, external_id, sequence });
}
