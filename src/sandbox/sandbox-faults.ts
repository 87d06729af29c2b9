/** The faults that can be simulated. */
export const FAULT_MODES = ['none', 'slow', '429', '500', 'refuse', 'hang', 'maintenance', 'not_found'] as const;

/** A fault that can be simulated. */
type FaultMode = (typeof FAULT_MODES)[number];

/** The current fault and its parameters. */
export interface Faults {
  mode: FaultMode;
  /** The share of affected requests, 0 to 1. */
  rate: number;
  delay_ms: number;
  /** The `Retry-After` of 429 and maintenance in seconds; null: no such header. */
  retry_after: number | null;
  /** The status of the maintenance page: some platforms answer 200. */
  status: 200 | 503;
}

/** The settings without a fault. */
export const NO_FAULTS: Faults = { mode: 'none', rate: 1, delay_ms: 1_000, retry_after: null, status: 503 };

/** The time of a fault. `after`: the request takes effect, and its answer is lost. */
type Strike = 'no' | 'before' | 'after';

/**
 * Decides whether and when a fault affects this request.
 *
 * @param whether a random number in [0, 1) for the share
 * @param when a random number in [0, 1) for the time
 */
export function strikes(faults: Faults, whether: number, where: number): Strike {
  if (faults.mode === 'none' || whether >= faults.rate) return 'no';
  // A request with these answers has no effect.
  const never = faults.mode === '429' || faults.mode === 'not_found' || faults.mode === 'slow';
  return never || where < 0.5 ? 'before' : 'after';
}

/**
 * Reads faults from JSON or a form.
 *
 * @returns the faults, or the problem as text
 */
export function readFaults(input: Record<string, unknown>): Faults | string {
  const mode = typeof input['mode'] === 'string' ? input['mode'] : 'none';
  if (!(FAULT_MODES as readonly string[]).includes(mode)) return `mode must be one of: ${FAULT_MODES.join(', ')}`;
  const rate = numberOf(input['rate'], 1);
  if (!(rate >= 0 && rate <= 1)) return 'rate must be a number from 0 to 1';
  const delay = numberOf(input['delay_ms'], NO_FAULTS.delay_ms);
  if (!(delay >= 0 && delay <= 120_000)) return 'delay_ms must be a number from 0 to 120000';
  const retryAfter = input['retry_after'] == null || input['retry_after'] === '' ? null : Number(input['retry_after']);
  if (retryAfter !== null && !(retryAfter >= 0 && retryAfter <= 86_400))
    return 'retry_after must be 0 to 86400 seconds';
  const status = Number(input['status'] ?? 503);
  if (status !== 200 && status !== 503) return 'status must be 200 or 503';
  return { mode: mode as FaultMode, rate, delay_ms: delay, retry_after: retryAfter, status };
}

function numberOf(value: unknown, otherwise: number): number {
  return value === undefined || value === '' ? otherwise : Number(value);
}

/** The HTML of the maintenance page. */
export const MAINTENANCE_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Be right back</title>
<body style="font-family:sans-serif;text-align:center;padding:10vh"><h1>Be right back</h1>
<p>We are doing some maintenance.</p></body></html>`;
