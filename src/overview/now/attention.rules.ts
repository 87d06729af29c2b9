import { nextOfHeld } from '../../directory-sync/users/explain/explain.rules.js';
import type { HeldReason } from '../../tenancy/identity/person.js';
import {
  dateOf,
  users,
  type AttentionFacts,
  type DestinationFact,
  type Line,
  type Now,
  ATTENTION_SEVERITIES,
  type AttentionLine,
} from './attention.js';
import type { OverviewBody } from './overview.dto.js';

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

const DAY_MS = 86_400_000;
/** A credential that ends within these days is critical: the next working day may be too late. */
const URGENT_DAYS = 3;
const NEAR_LIMIT = 0.9;

/** The worst comes first, then the oldest. */
export function attentionOf(facts: AttentionFacts, now: Now, at: Date): AttentionLine[] {
  const lines = [
    ...deliveryLines(facts, now),
    ...heldLines(facts, now),
    ...refusedLines(facts),
    ...facts.quiet.map(quietLine),
    ...now.expiries.map((one) => expiryLine(one, at)),
    ...signInLines(facts),
    ...limitLines(facts, now),
  ];
  return lines
    .map((line) => ({ id: null, since: null, next_try_at: null, ...line }))
    .sort((a, b) => rank(a) - rank(b) || (a.since?.getTime() ?? Infinity) - (b.since?.getTime() ?? Infinity));
}

function rank({ severity }: AttentionLine): number {
  return ATTENTION_SEVERITIES.indexOf(severity);
}

/** The guard's users are named once, at their directory; users of a preview need no act. */
function heldLines({ held }: AttentionFacts, { seats }: Now): Line[] {
  const guarded = held.filter(({ reason }) => reason === 'guard');
  const others = new Map<HeldReason, { n: number; since: string }>();
  for (const { reason, n, since } of held) {
    if (reason === 'guard' || reason === 'preview' || (reason === 'no_seat' && isFull(seats))) continue;
    const known = others.get(reason);
    others.set(reason, {
      n: n + (known?.n ?? 0),
      since: known === undefined || since < known.since ? since : known.since,
    });
  }
  return [
    ...guarded.map(({ directory_id: id, directory, n, since }): Line => ({
      severity: 'critical',
      code: 'provisioning.held',
      kind: 'directory',
      id,
      words: `The guard of ${directory ?? 'a directory'} holds ${users(n)} that would leave.`,
      since: new Date(since),
      act: 'Read who is held, then release or discard them.',
    })),
    ...[...others].map(([reason, { n, since }]): Line => ({
      severity: 'warning',
      code: `held.${reason}`,
      kind: 'held',
      id: reason,
      words: `${users(n)} ${n === 1 ? 'is' : 'are'} held: ${reason.replaceAll('_', ' ')}.`,
      since: new Date(since),
      act: nextOfHeld(reason),
    })),
  ];
}

function refusedLines({ refused, refused_token: token, refused_keys: keys }: AttentionFacts): Line[] {
  const act = 'Put a valid token into the provisioning settings of the IdP.';
  const lines = refused.map(({ id, name, at, reason }): Line => ({
    severity: 'warning',
    code: 'directory.refused',
    kind: 'directory',
    id,
    words: `A credential of ${name} was refused: ${reason.replaceAll('_', ' ')}.`,
    since: new Date(at),
    act,
  }));
  for (const { id, name, at, address } of keys) {
    lines.push({
      severity: 'warning',
      code: 'api_key.refused',
      kind: 'credential',
      id,
      words: `The API key ${name} was refused to ${from(address)}, which allow_from does not admit.`,
      since: new Date(at),
      act: 'Add the network to allow_from, or rotate the key.',
    });
  }
  if (token === null) return lines;
  const words = `A token that belongs to no directory was refused to ${from(token.address)}: ${token.reason.replaceAll('_', ' ')}, ${token.prefix}….`;
  return [
    ...lines,
    { severity: 'warning', code: 'tenant.refused_token', kind: 'tenant', words, since: new Date(token.at), act },
  ];
}

function quietLine({ id, name, since }: AttentionFacts['quiet'][number]): Line {
  const words = `${name} has sent no request for three times its usual interval.`;
  const act = 'Look into the IdP whether provisioning still runs.';
  return { severity: 'warning', code: 'directory.quiet', kind: 'directory', id, words, since: new Date(since), act };
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  api_key: 'The API key',
  scim_token: 'The SCIM token',
  client_secret: 'A secret of the client',
  certificate: 'A certificate of the connection',
};

function expiryLine({ kind, id, name, expires_at }: Now['expiries'][number], at: Date): Line {
  const end = new Date(expires_at);
  const isCertificate = kind === 'certificate';
  return {
    severity: end.getTime() - at.getTime() <= URGENT_DAYS * DAY_MS ? 'critical' : 'warning',
    code: isCertificate ? 'connection.certificate_expiring' : 'credential.expiring',
    kind: isCertificate ? 'connection' : 'credential',
    id,
    words: `${CREDENTIALS[kind] ?? kind} ${name} ${end <= at ? 'has ended' : 'ends'} on ${end.toISOString().slice(0, 10)}.`,
    since: end,
    act: isCertificate ? 'Add the next certificate of the IdP.' : 'Rotate it, and give its user the new secret.',
  };
}

function signInLines({ metadata, domains }: AttentionFacts): Line[] {
  return [
    ...metadata.map(({ id, name, problem, since }): Line => ({
      severity: 'warning',
      code: 'connection.metadata_waiting',
      kind: 'connection',
      id,
      words: `The metadata of ${name} are not taken: ${problem}`,
      since: dateOf(since),
      act: 'Compare them with the console of the IdP, then confirm or correct them.',
    })),
    ...domains.map(({ domain, problem, since }): Line => ({
      severity: 'warning',
      code: 'domain.lost',
      kind: 'domain',
      id: domain,
      words: `The domain ${domain} is no longer verified${problem === null ? '' : `: ${problem}`}.`,
      since: new Date(since),
      act: 'Publish the TXT record again.',
    })),
  ];
}

function limitLines({ storage }: AttentionFacts, { seats }: Now): Line[] {
  const lines: Line[] = [];
  const { used, limit, waiting } = seats;
  if (limit !== null && used >= limit * NEAR_LIMIT) {
    lines.push({
      severity: isFull(seats) ? 'critical' : 'warning',
      code: isFull(seats) ? 'seat.limit_reached' : 'seat.limit_approaching',
      kind: 'seats',
      words: `${used} of ${limit} seats are used${waiting > 0 ? `, and ${users(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for one` : ''}.`,
      act: 'Raise the limit, or free seats.',
    });
  }
  if (storage !== null) {
    const isOver = storage.state === 'exhausted';
    lines.push({
      severity: isOver ? 'critical' : 'warning',
      code: isOver ? 'storage.exhausted' : 'storage.approaching',
      kind: 'storage',
      words: isOver ? 'The storage of the tenant is used up: new data are refused.' : 'The storage is nearly used up.',
      act: 'Remove what is not needed, or ask the operator for more.',
    });
  }
  return lines;
}

function isFull({ used, limit }: Now['seats']): boolean {
  return limit !== null && used >= limit;
}

function from(address: string | null): string {
  return address === null ? 'an unknown address' : `the address ${address}`;
}

/** Returns the first ends. The ends of credentials are texts of the database, those of certificates are times. */
export function nearest(expiries: OverviewBody['expiries'], most: number): OverviewBody['expiries'] {
  return expiries
    .map((one) => ({ ...one, expires_at: new Date(one.expires_at) }))
    .sort((a, b) => a.expires_at.getTime() - b.expires_at.getTime())
    .slice(0, most);
}
