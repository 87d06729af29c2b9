import type { FailureRules } from '../../../engine/delivery/retry.rules.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pace of webhooks; tests run it faster. */
export interface WebhookPace {
  /** The pauses after each failed try; a message is given up when none is left. Empty: there are no retries. */
  pauses: readonly number[];
  /** An endpoint with nothing but failures for so long is disabled. */
  endsAfterMs: number;
  probe: FailureRules['probe'];
}

/**
 * Five days of nothing but failures disable. The pauses are a setting; by default they make ten tries in 75 hours
 * (Standard Webhooks 1.0.0, "Deliverability and reliability").
 */
export const PACE: Omit<WebhookPace, 'pauses'> = {
  endsAfterMs: 5 * 24 * HOUR,
  probe: { firstMs: 5 * SECOND, maxMs: 5 * MINUTE, fewPeopleMs: 5 * MINUTE },
};

/** Pauses are spread by so much to either side. */
const SPREAD = 0.2;
/** The longest `Retry-After` that is waited out. */
const LONGEST_WAIT_MS = 24 * HOUR;

/**
 * Returns the failure rules of webhooks. Ten failures in a row, of whichever messages, show that an endpoint is away. Its
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
