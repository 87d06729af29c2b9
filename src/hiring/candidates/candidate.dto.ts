import { ApiProperty } from '@nestjs/swagger';
import { Ruled } from '../../base/http/fields.js';
import { EMAIL, Text } from '../../base/http/text.js';
import { AsSent, ServerSet } from '../../base/http/validate.js';
import { ATS_STATUSES, type AtsStatus } from './candidate.js';
import { metadataProblem } from './metadata.rules.js';

const SERVER_FIELDS = ['id', 'stage', 'ats_status', 'sequence', 'created_at', 'updated_at'] as const;
const OPENING = 'the title of the opening that `metadata.job_opening_id` names';
const NEW_TITLE = `Left out or null: ${OPENING}.`;
const CHANGED_TITLE = `Left out: stays as it is. null: ${OPENING}.`;
const PUT_TITLE = `null: ${OPENING}; so is that of a new candidate when left out.`;

const METADATA = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'Any JSON object of at most 16 KiB, kept letter for letter. `job_opening_id` names an opening by its `external_id` or ' +
    'id; `ats_priority` can be filtered by.',
  example: { ats: 'zoho_recruit', job_opening_id: 'zr_480912', ats_priority: 'high' },
};

/** Declares metadata; null is none. */
function MetadataField(): PropertyDecorator {
  return Ruled(metadataProblem, METADATA, { optional: true, nullable: true });
}

/** A new candidate. */
@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class CreateCandidate {
  @Text({ max: 200, example: 'Zoë' })
  first_name!: string;
  @Text({ max: 200, min: 0, example: 'Müller' })
  last_name!: string;
  @Text({ max: 320, format: 'email', pattern: EMAIL, example: 'zoe.muller@example.com' })
  email!: string;
  @Text({ max: 255, description: 'The id in the ATS.', example: 'zr_480912000001234567' })
  external_id!: string;
  @Text({ max: 200, optional: true, nullable: true, description: NEW_TITLE })
  job_title?: string | null;
  @MetadataField()
  metadata?: object | null;
}

/** A JSON merge patch (RFC 7396) of a candidate, but for `metadata`, which is replaced as a whole. */
@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class ChangeCandidate {
  @Text({ max: 200, optional: true })
  first_name?: string;
  @Text({ max: 200, min: 0, optional: true })
  last_name?: string;
  @Text({ max: 320, optional: true, format: 'email', pattern: EMAIL })
  email?: string;
  @Text({ max: 255, optional: true })
  external_id?: string;
  @Text({ max: 200, optional: true, nullable: true, description: CHANGED_TITLE })
  job_title?: string | null;
  @MetadataField()
  metadata?: object | null;
}

/** A whole candidate by the caller's own key: what creates one, or the fields of one that is there. */
@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class PutCandidate {
  @Text({ max: 200, example: 'Zoë' })
  first_name!: string;
  @Text({ max: 200, min: 0, example: 'Müller' })
  last_name!: string;
  @Text({ max: 320, format: 'email', pattern: EMAIL })
  email!: string;
  @Text({ max: 255, optional: true, nullable: true, description: 'The one in the address, or left out.' })
  external_id?: string | null;
  @Text({ max: 200, optional: true, nullable: true, description: PUT_TITLE })
  job_title?: string | null;
  @MetadataField()
  metadata?: object | null;
}

/** A candidate as this API shows it. */
export class CandidateBody {
  @ApiProperty({ example: 'cand_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty({ example: 'zoe.muller@example.com' })
  email!: string;
  @ApiProperty({ example: 'Zoë' })
  first_name!: string;
  @ApiProperty({ example: 'Müller', description: 'Can be empty.' })
  last_name!: string;
  @ApiProperty({ description: 'The id in the ATS.', example: 'zr_480912000001234567' })
  external_id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Backend Engineer' })
  job_title!: string | null;
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
  @ApiProperty({ type: String, format: 'date-time' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  updated_at!: string;
}

/** A page of candidates. */
export class CandidateListBody {
  @ApiProperty({ type: [CandidateBody] })
  data!: CandidateBody[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The `updated_since` of the next call: no late write is missed, and a candidate may come twice.',
  })
  next_updated_since!: string;
}
