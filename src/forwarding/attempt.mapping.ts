import type { Attempt, Outcome } from '../engine/delivery/outcome.js';
import type { Verdict } from '../engine/delivery/retry.rules.js';
import type { PlatformRequest } from './platform-client/platform.types.js';

/** One request as it is kept. An answer that was a success repeats personal data, so it is not. */
export function attemptOf(
  request: PlatformRequest,
  verdict: Verdict,
  outcome: Outcome,
  ms: number,
  sentAt: Date,
): Attempt {
  return {
    method: request.method,
    path: request.path,
    status: verdict.status,
    outcome: labelOf(outcome, verdict),
    detail: verdict.kind === 'unavailable' || verdict.kind === 'stopped' ? verdict.reason : null,
    answer: verdict.kind === 'ok' ? null : verdict.words,
    ms,
    sentAt,
  };
}

function labelOf(outcome: Outcome, verdict: Verdict): string {
  if (outcome.kind === 'delivered') return 'delivered';
  if (outcome.kind === 'next' && outcome.outdated === true) return 'stood_aside';
  return verdict.kind === 'ok' ? 'found' : verdict.kind;
}

/** A lane that had nothing to say also leaves a trace: its changes were settled then. */
export function nothingSaid(now: Date): Attempt {
  return {
    method: 'NONE',
    path: '',
    status: null,
    outcome: 'nothing_to_say',
    detail: null,
    answer: null,
    ms: 0,
    sentAt: now,
  };
}
