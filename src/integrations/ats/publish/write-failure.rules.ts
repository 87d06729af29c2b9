import type { AtsFailureKind } from '../api/ats-api.js';
import type { AtsProblem } from '../connections/ats-states.js';

/** What a failed try means. */
export type FailureVerdict =
  /** It is tried again, without end. `problem`: what is wrong with the connection. */
  | { kind: 'wait'; problem: AtsProblem | null; retryAfterMs: number | null }
  /** The ATS has the candidate no more, and knows of no survivor. */
  | { kind: 'gone' }
  | { kind: 'fail' };

/** How often a write is repeated after answers that no documentation knows. The page of a proxy is none of the ATS, and ends some time. */
const MOST_MALFORMED = 8;
const OF_A_PROXY = 'not_json';

/** No connection was made, or the ATS has answered: nothing of the call can take effect any more. */
const OVER = /^(status_|rate_limited$|dns$|refused$|blocked$|unknown_)/;

/** Returns whether a call that failed may still take effect. */
export function mayComeLate({ kind, reason }: { kind: AtsFailureKind; reason: string }): boolean {
  return kind === 'away' && !OVER.test(reason);
}

/** Decides what is done after a call of a write failed. */
export function writeAfterFailure(
  { kind, reason, retryAfterMs }: { kind: AtsFailureKind; reason: string; retryAfterMs: number | null },
  {
    attempts,
    provedSince,
  }: {
    attempts: number;
    /** Since the first try of this write the ATS has taken another one: the permission is there. */
    provedSince: boolean;
  },
): FailureVerdict {
  switch (kind) {
    case 'away':
      return { kind: 'wait', problem: null, retryAfterMs };
    case 'refused':
      return { kind: 'wait', problem: 'grant', retryAfterMs };
    case 'forbidden':
      return provedSince ? { kind: 'fail' } : { kind: 'wait', problem: 'writes', retryAfterMs };
    case 'malformed':
      return attempts >= MOST_MALFORMED && reason !== OF_A_PROXY
        ? { kind: 'fail' }
        : { kind: 'wait', problem: null, retryAfterMs: null };
    case 'not_found':
      return { kind: 'gone' };
    case 'rejected':
      return { kind: 'fail' };
  }
}
