import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { EMAIL, Ruled, Text } from '../../base/http/fields.js';
import { ChangeType, PutType, ShownType, Times, UpdatesPage } from '../../base/http/shown.js';
import { AsSent, ServerSet } from '../../base/http/validate.js';
import { ATS_STATUSES, type AtsStatus } from './candidate.js';
import { metadataProblem } from './metadata.rules.js';

const SERVER_FIELDS = ['id', 'stage', 'ats_status', 'sequence', 'created_at', 'updated_at'] as const;

const METADATA = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'Any JSON object of at most 16 KiB, kept letter for letter. `job_opening_id` names an opening by its `external_id` or ' +
    'id; `ats_priority` can be filtered by.',
  example: { ats: 'zoho_recruit', job_opening_id: 'zr_480912', ats_priority: 'high' },
};

/** A new candidate. */
@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class CreateCandidate {
  @Text({ max: 200, example: 'Zoë' })
  first_name!: string;
  @Text({ max: 200, min: 0, example: 'Müller', description: 'Can be empty.' })
  last_name!: string;
  @Text({ max: 320, format: 'email', pattern: EMAIL, example: 'zoe.muller@example.com' })
  email!: string;
  @Text({ max: 255, description: 'The id in the ATS.', example: 'zr_480912000001234567' })
  external_id!: string;
  @Text({
    max: 200,
    optional: true,
    nullable: true,
    description:
      'null, or left out for a new candidate: the title of the opening that `metadata.job_opening_id` names.',
    example: 'Backend Engineer',
  })
  job_title?: string | null;
  @Ruled(metadataProblem, METADATA, { optional: true, nullable: true })
  metadata?: object | null;
}

/** A JSON merge patch (RFC 7396) of a candidate, but for `metadata`, which is replaced as a whole. */
@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class ChangeCandidate extends ChangeType(CreateCandidate) {}

/** A whole candidate by the caller's own key: what creates one, or the fields of one that is there. */
@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class PutCandidate extends PutType(CreateCandidate) {}

/** A candidate as this API shows it. */
export class CandidateBody extends IntersectionType(
  ShownType(CreateCandidate, ['email', 'first_name', 'last_name', 'external_id', 'job_title']),
  Times,
) {
  @ApiProperty({ example: 'cand_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty(METADATA)
  metadata!: object;
  @ApiProperty({ type: String, nullable: true, description: 'The stage in the ATS.', example: 'Phone Screen' })
  stage!: string | null;
  @ApiProperty({
    enum: ATS_STATUSES,
    nullable: true,
    description: 'What becomes of the candidate in the ATS; null: the candidate came through no ATS connection.',
  })
  ats_status!: AtsStatus | null;
}

/** A page of candidates. */
export class CandidateListBody extends UpdatesPage(CandidateBody, 'a candidate') {}
