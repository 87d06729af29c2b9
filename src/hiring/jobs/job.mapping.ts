import { thinIfLarge } from '../../engine/events/event-recorder.js';
import type { JobBody } from './job.dto.js';
import type { JobRow } from './job.js';

/** Returns an opening as the API shows it. */
export function jobBody({ sequence: _, ...row }: JobRow): JobBody {
  return {
    ...row,
    opened_at: row.opened_at?.toISOString() ?? null,
    closed_at: row.closed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Returns the data of the event of a change: the opening after it, and its sequence. */
export function jobData(row: JobRow): string {
  const { id, external_id, sequence } = row;
  const data = JSON.stringify({ ...jobBody(row), sequence });
  return thinIfLarge('job.synced', data, { id, external_id, sequence });
}
