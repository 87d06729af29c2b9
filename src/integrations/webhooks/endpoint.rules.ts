import type { OutboundAnswer } from '../../base/http/outbound.js';
import type { Destination } from '../../engine/delivery/destination.js';
import { STAGES, type FailureRules } from '../../engine/delivery/retry.rules.js';

/** The origin of a failure. Only the receiver's own failures count towards disabling its endpoint. */
export type Fault = 'theirs' | 'ours' | 'network';

export interface EndpointVerdict {
  /** `gone`: 410, the endpoint is disabled at once. `refused_address`: this service does not connect to it; no retry. */
  kind: 'delivered' | 'failed' | 'gone' | 'refused_address';
  status: number | null;
  /** A word for the outcome: `delivered`, `gone`, `address_refused`, `redirect`, `status_503`, `timeout`, … */
  reason: string;
  fault: Fault | null;
  /** The wait that the receiver asks for; at most a day. */
  retryAfterMs: number | null;
  /** The first 4 KiB of the answer. Null without one, and where the address was refused. */
  answer: string | null;
}

const KEPT_BYTES = 4 * 1024;
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/** Faults of this machine: no free ports or files, or the tenant's share of look-ups is used up. */
const OURS = new Set(['ETOOMANY', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'EACCES', 'EPERM']);
/** No route, or name servers that do not answer. A name that does not exist is its owner's fault. */
const NETWORK = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ETIMEOUT', 'ESERVFAIL']);

/** Judges the answer of an endpoint by its status alone. @param now for a `Retry-After` that is a date */
export function endpointVerdictOf(answer: OutboundAnswer, now: Date): EndpointVerdict {
  if (answer.kind === 'failed') return verdictOfFailure(answer);
  const { status } = answer;
  const common = { status, answer: keptOf(answer.body) };
  if (status >= 200 && status < 300) {
    return { ...common, kind: 'delivered', reason: 'delivered', fault: null, retryAfterMs: null };
  }
  if (status === 410) return { ...common, kind: 'gone', reason: 'gone', fault: 'theirs', retryAfterMs: null };
  return {
    ...common,
    kind: 'failed',
    reason: status >= 300 && status < 400 ? 'redirect' : `status_${status}`,
    fault: 'theirs',
    retryAfterMs: retryAfterMs(answer.retryAfter, now),
  };
}

function verdictOfFailure({ reason, detail }: Extract<OutboundAnswer, { kind: 'failed' }>): EndpointVerdict {
  const none = { status: null, retryAfterMs: null, answer: null };
  if (reason === 'blocked') {
    return { ...none, kind: 'refused_address', reason: 'address_refused', fault: 'theirs' };
  }
  return { ...none, kind: 'failed', reason, fault: faultOf(reason, detail) };
}

function faultOf(reason: string, detail: string): Fault {
  if (OURS.has(detail)) return 'ours';
  // c-ares reports a refusal of the name server like one of the receiver.
  if (NETWORK.has(detail) || (reason === 'dns' && detail === 'ECONNREFUSED')) return 'network';
  return 'theirs';
}

/** Reads `Retry-After` (RFC 9110 §10.2.3) in milliseconds, at most a day; null when it cannot be read. */
export function retryAfterMs(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_RETRY_AFTER_MS);
  // `Date.parse` accepts more than HTTP dates: "-1" would be a year.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const ms = Date.parse(text) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Returns the beginning of an answer, cut between characters, without U+0000, which the database cannot store. */
function keptOf(body: string): string {
  // No character has more than three bytes for each unit of its text.
  if (body.length * 3 <= KEPT_BYTES) return body.includes('\0') ? body.replaceAll('\0', '�') : body;
  const bytes = Buffer.from(body.slice(0, KEPT_BYTES).replaceAll('\0', '\ufffd'), 'utf8');
  let end = Math.min(bytes.length, KEPT_BYTES);
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

export const ENDPOINT_STATES = ['active', 'degraded', 'paused', 'disabled'] as const;

/**
 * `active`: it takes events. `degraded`: its deliveries fail, and are repeated. `paused`: by a person. `disabled`:
 * 410, five days of failures, a refused address, or unreadable secrets. Events wait while it is paused or disabled.
 */
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export const BY_HAND = 'by_hand';

export function endpointStateOf(
  destination: Pick<Destination, 'state' | 'stateReason' | 'failingSince' | 'failingStage'>,
  unreadable: boolean,
): { state: EndpointState; reason: string | null } {
  const { state, stateReason, failingSince, failingStage } = destination;
  if (unreadable) return { state: 'disabled', reason: 'secret_unreadable' };
  if (state === 'paused') return { state: stateReason === BY_HAND ? 'paused' : 'disabled', reason: stateReason };
  if (state === 'open') return { state: 'degraded', reason: stateReason };
  const failing = failingSince !== null && failingStage > STAGES.none;
  return failing ? { state: 'degraded', reason: 'failing' } : { state: 'active', reason: null };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface WebhookPace {
  /** The pauses after each failed try; a message is given up after the last one. Empty: no retries. */
  pauses: readonly number[];
  /** After only failures for this time an endpoint is disabled. */
  endsAfterMs: number;
  probe: FailureRules['probe'];
}

/** The pauses are a setting; by default they make ten tries in 75 hours (Standard Webhooks 1.0.0). */
export const PACE: Omit<WebhookPace, 'pauses'> = {
  endsAfterMs: 5 * 24 * HOUR,
  probe: { firstMs: 5 * SECOND, maxMs: 5 * MINUTE, fewPeopleMs: 5 * MINUTE },
};

/** The random part of a pause, to either side. */
const SPREAD = 0.2;
const LONGEST_WAIT_MS = 24 * HOUR;

/**
 * Returns the failure rules of webhooks. Ten failures in a row, of any messages, show that an endpoint is away. Its
 * probes are messages whose own pause is over: a probe must not use up the tries of a message.
 */
export function webhookRules({ pauses, endsAfterMs, probe }: WebhookPace): FailureRules {
  return {
    away: { streak: 10, subjects: 1, rounds: Infinity, scales: false },
    probe,
    probesEarly: false,
    waitsAside: true,
    retryAfterHolds: true,
    endsAfterMs,
    pause(failureCount, retryAfterMs, random) {
      const planned = pauses[failureCount - 1];
      if (planned === undefined) return null;
      const spread = Math.round(planned * (1 - SPREAD + 2 * SPREAD * random));
      return Math.max(spread, Math.min(retryAfterMs ?? 0, LONGEST_WAIT_MS));
    },
  };
}
