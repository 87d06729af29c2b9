import type { ListedAttempt } from '../../../engine/delivery/attempts.js';
import type { AtsWriteBody, WriteAttemptBody } from './ats-writes.dto.js';
import { markerOf, type AtsWriteRow } from './write.js';

/** Returns a write as the API shows it. */
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

/** Returns a try as the API shows it. */
export function writeAttemptBody({ sent_at, outcome, detail, duration_ms }: ListedAttempt): WriteAttemptBody {
  return { at: sent_at.toISOString(), outcome, detail, ms: duration_ms };
}
