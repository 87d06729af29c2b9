import { dateOf, users, type AttentionFacts, type DestinationFact, type Line, type Now } from './attention.js';

/** Returns the lines about what the tenant sends to others and reads from them. */
export function deliveryLines(facts: AttentionFacts, now: Now): Line[] {
  return [
    ...facts.destinations.flatMap((one) => destinationLine(one, now)),
    ...notTaken(now),
    ...facts.ats.map(atsLine),
    ...parkedLines(now),
    ...driftLines(facts),
  ];
}

function destinationLine(one: DestinationFact, { destination, interview_engine: engine }: Now): Line[] {
  const { state, reason } = one;
  const times = { since: new Date(one.since), next_try_at: dateOf(one.next) };
  switch (one.channel) {
    case 'platform': {
      if (destination.state === 'ok') return [];
      const isAway = state === 'open';
      const severity = reason === 'by_hand' ? 'warning' : 'critical';
      const act = isAway ? 'Test the platform connection.' : 'Correct what is wrong, then resume forwarding.';
      const code = isAway ? 'destination.open' : 'destination.paused';
      return [{ severity, code, kind: 'platform', words: destination.message, act, ...times }];
    }
    case 'webhook': {
      const about = { kind: 'webhook', id: one.id } as const;
      const name = one.name ?? one.id;
      if (state === 'paused') {
        if (reason === 'by_hand') return [];
        const words = `The webhook endpoint ${name} is disabled (${reason ?? 'unknown'}); events wait.`;
        const act = 'Correct the receiver, resume the endpoint, then replay what waits.';
        return [{ ...about, severity: 'critical', code: 'webhook.disabled', words, act, ...times }];
      }
      const since = one.failing_since ?? one.since;
      const words = `The webhook endpoint ${name} fails: it is tried again until it is disabled.`;
      const act = 'Read its attempts, and correct the receiver.';
      return [{ ...about, severity: 'warning', code: 'webhook.failing', words, act, ...times, since: new Date(since) }];
    }
    case 'interviews': {
      const isAway = state === 'open';
      const act = isAway ? 'Test the interview engine.' : 'Correct its address or key.';
      const code = isAway ? 'interview_engine.open' : 'interview_engine.paused';
      const severity = isAway ? 'warning' : 'critical';
      return [{ severity, code, kind: 'interview_engine', words: engine.message, act, ...times }];
    }
    default:
      return [];
  }
}

function notTaken({ interview_engine: { state, message, not_taken } }: Now): Line[] {
  if (not_taken === 0 || state === 'open' || state === 'paused') return [];
  const act = 'Read meeting_reason of the interviews ahead, then send another plan or an own link.';
  return [{ severity: 'warning', code: 'interview_engine.not_taken', kind: 'interview_engine', words: message, act }];
}

function atsLine({ id, name, state, reason, since, next }: AttentionFacts['ats'][number]): Line {
  const about = { kind: 'ats_connection', id, since: new Date(since) } as const;
  const why = reason === null ? '' : ` (${reason})`;
  if (state === 'reconnect_needed') {
    const words = `${name} has withdrawn the access${why}: nothing is read or written.`;
    return { ...about, severity: 'critical', code: 'ats.reconnect_needed', words, act: 'Connect the ATS again.' };
  }
  const words = `A part of the connection to ${name} does not work${why}.`;
  const act = 'Read the problems of the connection.';
  return { ...about, severity: 'warning', code: 'ats.degraded', words, act, next_try_at: dateOf(next) };
}

function parkedLines({ parked }: Now): Line[] {
  return Object.entries(parked).map(([reason, n]) => ({
    severity: 'warning',
    code: 'change.parked',
    kind: 'changes',
    id: reason,
    words: `The change of ${users(n)} is parked: ${reason.replaceAll('_', ' ')}.`,
    act: 'Read the answer of the platform, correct its cause, then retry or dismiss the change.',
  }));
}

function driftLines({ drift }: AttentionFacts): Line[] {
  if (drift === null) return [];
  const words = `${users(drift.differences)} of the platform differ from those here.`;
  const act = 'Read the differences, then send the users again.';
  return [
    { severity: 'warning', code: 'drift.found', kind: 'drift', id: drift.id, words, since: new Date(drift.at), act },
  ];
}
