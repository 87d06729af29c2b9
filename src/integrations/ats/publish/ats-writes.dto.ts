import { ApiProperty } from '@nestjs/swagger';
import { Flag, Text } from '../../../base/http/fields.js';
import type { ListedAttempt } from '../../../engine/delivery/attempts.js';
import { WRITE_STATES, type WriteKind, type WriteState, markerOf, type AtsWriteRow } from './write.js';

export class DismissWrite {
  @Text({ max: 200, example: 'The candidate asked for it.' })
  reason!: string;
}

export class TestWrite {
  @Text({ max: 255, description: 'The id of a candidate that came through this connection.' })
  candidate_id!: string;
  @Flag({
    optional: true,
    description:
      'The test is made also where it leaves a note that the API of the vendor cannot take back, or where it empties a field.',
  })
  confirm?: boolean;
}

export class AtsWriteBody {
  @ApiProperty({ example: 'awr_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty({ example: 'cand_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  candidate_id!: string;
  @ApiProperty({ example: 'int_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  interview_id!: string;
  @ApiProperty({ enum: ['link', 'scorecard'] })
  kind!: WriteKind;
  @ApiProperty({ enum: ['put', 'remove'], description: '`remove`: what an earlier revision wrote is taken back.' })
  action!: 'put' | 'remove';
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Of a scorecard, its version.' })
  revision!: number;
  @ApiProperty({
    enum: WRITE_STATES,
    description:
      '`superseded`: a newer revision took its place. `left`: it applies no more, or cannot be taken back; `reason` says why.',
  })
  state!: WriteState;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: ['note', 'field', 'link'],
    description: 'Where it was put at the last try.',
  })
  target!: string | null;
  @ApiProperty({ description: 'Part of the written text, by which it is found in the ATS.' })
  marker!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The id in the ATS.' })
  remote_ref!: string | null;
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Calls that could have taken effect.' })
  attempts!: number;
  @ApiProperty({ type: String, nullable: true, example: 'candidate_gone' })
  reason!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The reason in words.' })
  detail!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  attempted_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  written_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  updated_at!: string;
}

class WriteAttemptBody {
  @ApiProperty({ type: String, format: 'date-time' })
  at!: string;
  @ApiProperty({ example: 'delivered', description: '`delivered`, how the write ended, or why it waits.' })
  outcome!: string;
  @ApiProperty({ type: String, nullable: true })
  detail!: string | null;
  @ApiProperty({ type: 'integer' })
  ms!: number;
}

export class AtsWriteWithTriesBody extends AtsWriteBody {
  @ApiProperty({ type: [WriteAttemptBody], description: 'Newest first, at most 50.' })
  tries!: WriteAttemptBody[];
}

export class TestStepBody {
  @ApiProperty({ enum: ['candidate', 'user', 'write', 'read_back', 'take_back'] })
  step!: string;
  @ApiProperty()
  ok!: boolean;
  @ApiProperty({ description: 'What happened, in words.' })
  detail!: string;
}

export class TestWriteBody {
  @ApiProperty({ description: 'All steps succeeded.' })
  ok!: boolean;
  @ApiProperty({ enum: ['note', 'field', 'link'] })
  target!: string;
  @ApiProperty({ type: [TestStepBody] })
  steps!: TestStepBody[];
}

export function atsWriteBody(row: AtsWriteRow): AtsWriteBody {
  return {
    id: row.id,
    candidate_id: row.candidate_id,
    interview_id: row.interview_id,
    kind: row.kind,
    action: row.action,
    revision: row.revision,
    state: row.state,
    target: row.target,
    marker: markerOf(row, row.target),
    remote_ref: row.remote_ref,
    attempts: row.attempts,
    reason: row.reason,
    detail: row.detail,
    attempted_at: row.attempted_at?.toISOString() ?? null,
    written_at: row.written_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function writeAttemptBody({ sent_at, outcome, detail, duration_ms }: ListedAttempt): WriteAttemptBody {
  return { at: sent_at.toISOString(), outcome, detail, ms: duration_ms };
}
