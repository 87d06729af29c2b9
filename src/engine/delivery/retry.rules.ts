import { cutTo } from '../../base/characters.js';
import type { OutboundAnswer } from '../../base/http/outbound.js';
import type { DeliveryOptions } from './delivery.options.js';
import { PEOPLE_AWAY, type AwayRules, type ProbeTimes } from './destination.rules.js';

export const WORDS = 1024;
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/** The meaning of an answer, whichever request it answers. */
export type Verdict =
  /** 2xx with JSON, or without a body. */
  | { kind: 'ok'; status: number; body: unknown }
  /** 404 or 410 from what may be the API: only a second question tells it from an address where nothing is. */
  | { kind: 'missing'; status: number; words: string }
  | { kind: 'conflict'; status: number; words: string; body: unknown }
  | { kind: 'refused'; status: number; words: string }
  | {
      kind: 'stopped';
      status: number | null;
      reason: 'credential_refused' | 'redirect' | 'address_refused';
      words: string;
    }
  /** Away, overloaded, or not the API at all. `ownFault`: the request may be the cause (5xx, time-out). */
  | {
      kind: 'unavailable';
      status: number | null;
      reason: string;
      ownFault: boolean;
      retryAfterMs: number | null;
      words: string;
    };

/**
 * Judges an answer. A page of HTML is never the API, with any status: it comes from a proxy, a maintenance page or a firewall.
 *
 * @param now for a `Retry-After` that is a date
 */
export function judge(answer: OutboundAnswer, now: Date): Verdict {
  if (answer.kind === 'failed') {
    if (answer.reason === 'blocked') {
      return { kind: 'stopped', status: null, reason: 'address_refused', words: answer.detail };
    }
    const ownFault = answer.reason === 'timeout' || answer.reason === 'reset';
    return unavailable(null, answer.reason, ownFault, null, answer.detail);
  }
  const { status } = answer;
  const retryAfterMs = retryAfter(answer.retryAfter, now);
  if (isHtml(answer.contentType, answer.body)) {
    return unavailable(status, 'html', true, retryAfterMs, wordsOf(answer.body));
  }
  if (status >= 200 && status < 300) {
    const body = answer.truncated ? undefined : jsonOrNothing(answer.body);
    if (body === undefined) return unavailable(status, 'not_json', true, retryAfterMs, wordsOf(answer.body));
    return { kind: 'ok', status, body };
  }
  const words = wordsOf(answer.body);
  if (status >= 300 && status < 400) {
    return { kind: 'stopped', status, reason: 'redirect', words: answer.location ?? '' };
  }
  if (status >= 500) return unavailable(status, `status_${status}`, true, retryAfterMs, words);
  switch (status) {
    case 401:
    case 403:
      return { kind: 'stopped', status, reason: 'credential_refused', words };
    case 408:
    case 425:
    case 429:
      // "Not now" is not the fault of the request.
      return unavailable(status, `status_${status}`, false, retryAfterMs, words);
    case 404:
    case 410:
      return { kind: 'missing', status, words };
    case 409:
      return { kind: 'conflict', status, words, body: jsonOrNothing(answer.body) ?? null };
    default:
      return { kind: 'refused', status, words };
  }
}

/** Reads `Retry-After` (seconds or a date, RFC 9110 §10.2.3) in milliseconds, an hour at the most. */
export function retryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  if (Number.isNaN(ms)) return null;
  return Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/**
 * @param random in [0, 1); half of the time is left to chance
 * @returns milliseconds
 */
export function backoff(failureCount: number, times: { firstMs: number; maxMs: number }, random: number): number {
  const full = Math.min(times.maxMs, times.firstMs * 2 ** Math.min(Math.max(failureCount - 1, 0), 30));
  return Math.round(full * (0.5 + random / 2));
}

export function wordsOf(body: string): string {
  return cutTo(body.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim(), WORDS);
}

function unavailable(
  status: number | null,
  reason: string,
  ownFault: boolean,
  retryAfterMs: number | null,
  words: string,
): Verdict {
  return { kind: 'unavailable', status, reason, ownFault, retryAfterMs, words };
}

function isHtml(contentType: string, body: string): boolean {
  return /^\s*(text\/html|application\/xhtml)/.test(contentType) || /^\s*</.test(body);
}

/** Returns null for an empty body, undefined for a text that is not JSON. */
function jsonOrNothing(body: string): unknown {
  if (body.trim() === '') return null;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** The reactions of the engine to failures of a channel. */
export interface FailureRules {
  away: AwayRules;
  probe: ProbeTimes;
  probesEarly: boolean;
  /**
   * Lanes that wait out a pause stand aside: the pauses are long, and such lanes may be many. They are looked for now and then;
   * all other claims pass over them.
   */
  waitsAside: boolean;
  /**
   * Returns how many milliseconds a lane waits after a number of failures in a row; null gives its message up.
   *
   * @param random in [0, 1); spreads the pauses
   */
  pause(failureCount: number, retryAfterMs: number | null, random: number): number | null;
  /** A `Retry-After` holds the whole destination, and not only the message that was answered with it. */
  retryAfterHolds?: boolean;
  /** A destination with nothing but failures for this time is paused; null never pauses it. */
  endsAfterMs: number | null;
}

/** A destination that is away waits out a Retry-After of an hour; one person among many continues sooner. */
const LONGEST_OWN_WAIT_MS = 300_000;

/** Returns the pauses of lanes that are tried without end. */
export function steadyPause(times: DeliveryOptions['backoff']): Pick<FailureRules, 'pause'> {
  return {
    pause: (failureCount, retryAfterMs, random) =>
      Math.max(backoff(failureCount, times, random), Math.min(retryAfterMs ?? 0, LONGEST_OWN_WAIT_MS)),
  };
}

/** Returns the rules of a channel that keeps the newest state of each person: it is tried until it is there. */
export function steadyRules({ backoff: times, probe }: DeliveryOptions): FailureRules {
  return {
    away: PEOPLE_AWAY,
    probe,
    probesEarly: true,
    waitsAside: false,
    ...steadyPause(times),
    retryAfterHolds: true,
    endsAfterMs: null,
  };
}

/** Stages of failures without any success; each is reported once. */
export const STAGES = { none: 0, streak: 1, halfTime: 2, ended: 3 } as const;

/**
 * Returns the stage of a destination that has failed again.
 *
 * @param since the first failure after the last success; null for the present one
 * @param away enough failures came in a row for the destination to count as away
 */
export function stageOf(since: Date | null, endsAfterMs: number, away: boolean, now: Date): number {
  const ms = since === null ? 0 : now.getTime() - since.getTime();
  if (ms >= endsAfterMs) return STAGES.ended;
  if (ms >= endsAfterMs / 2) return STAGES.halfTime;
  return away ? STAGES.streak : STAGES.none;
}
