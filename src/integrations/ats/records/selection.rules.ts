import type { Takes } from '../connections/connection.js';
import type { AtsCandidate } from '../connectors/ats-records.js';
import type { JobStatus } from '../../../hiring/jobs/job.js';
import type { LeftOutReason } from './record.js';

/**
 * Returns why a connection does not take a candidate that is not known yet, apart from its opening; null: it does. What the
 * ATS does not say keeps no candidate out, but for the stage, which is chosen by name.
 */
export function personRefusal(takes: Takes, candidate: AtsCandidate, changedAt: Date): LeftOutReason | null {
  if (takes.candidates === 'active' && (candidate.status ?? 'active') !== 'active') return 'not_active';
  if (takes.stages !== null && !takes.stages.includes(candidate.stage?.id ?? '')) return 'other_stage';
  if (takes.since !== null && changedAt.getTime() < Date.parse(takes.since)) return 'before_since';
  return null;
}

/** Returns why a connection does not take a candidate of an opening with this state; undefined: there is no opening. */
export function openingRefusal(takes: Takes, status: JobStatus | undefined): LeftOutReason | null {
  return takes.postings === 'open' && status !== 'open' ? 'no_open_job' : null;
}
