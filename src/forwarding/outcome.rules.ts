import type { Call, Lookup, Outcome } from '../engine/delivery/outcome.js';
import type { Verdict } from '../engine/delivery/retry.rules.js';
import type { Write } from './call.rules.js';
import { idIn } from './platform-user.mapping.js';

/** What an answer to a write means for the lane. */
export function outcomeOf(step: Write, call: Call, verdict: Verdict): Outcome {
  if (step.kind === 'aside') return outcomeAside(call, verdict);
  switch (verdict.kind) {
    case 'ok': {
      if (step.kind === 'delete') return { kind: 'delivered', bind: null };
      if (step.kind !== 'create') return { kind: 'delivered' };
      const id = idIn(verdict.body);
      if (id !== null) return { kind: 'delivered', bind: id };
      return { kind: 'next', lookup: { why: 'no_id' }, confirm: true };
    }
    case 'missing':
      if (step.kind === 'create') return failureOf(verdict);
      return { kind: 'next', lookup: asked(call, { why: 'gone', status: verdict.status, detail: verdict.words }) };
    case 'conflict': {
      if (step.kind === 'delete' || step.kind === 'deactivate') {
        return failureOf(verdict);
      }
      const id = idIn(verdict.body);
      const lookup: Lookup = { why: 'conflict', status: verdict.status, detail: verdict.words };
      if (id !== null && id !== call.platform_id) lookup.id = id;
      return { kind: 'next', lookup: asked(call, lookup) };
    }
    default:
      return failureOf(verdict);
  }
}

/**
 * What the answer to a step aside means: the lane waits again for the one that has its names. Where the stand-in is refused,
 * the lane waits without standing aside a second time.
 */
function outcomeAside(call: Call, verdict: Verdict): Outcome {
  const { standIn: _, ...rest } = call.lookup!;
  const lookup: Lookup = { ...rest, why: 'conflict' };
  if (verdict.kind === 'ok') return { kind: 'next', lookup, outdated: true };
  if (verdict.kind === 'refused' || verdict.kind === 'conflict') {
    return { kind: 'next', lookup: { ...lookup, stoodAside: true }, circling: true };
  }
  if (verdict.kind === 'missing') {
    return { kind: 'next', lookup: asked(call, { why: 'gone', status: verdict.status, detail: verdict.words }) };
  }
  return failureOf(verdict);
}

/** Why the platform is asked, with what has been tried already. */
function asked(call: Call, lookup: Lookup): Lookup {
  const { dissolved, asked } = call.lookup ?? {};
  return { ...lookup, ...(dissolved === undefined ? {} : { dissolved }), ...(asked === undefined ? {} : { asked }) };
}

/**
 * What an answer means to a question, or to a write for which it has no meaning of its own. A 404 to something that
 * has no id in it comes from an address where the API is not: an outage.
 */
export function failureOf(verdict: Exclude<Verdict, { kind: 'ok' }>): Outcome {
  switch (verdict.kind) {
    case 'missing':
      return { kind: 'unavailable', reason: `status_${verdict.status}`, ownFault: true, retryAfterMs: null };
    case 'conflict':
    case 'refused':
      return { kind: 'refused', status: verdict.status, detail: verdict.words };
    case 'stopped':
      return { kind: 'stopped', reason: verdict.reason, detail: verdict.words };
    case 'unavailable':
      return {
        kind: 'unavailable',
        reason: verdict.reason,
        ownFault: verdict.ownFault,
        retryAfterMs: verdict.retryAfterMs,
      };
  }
}
