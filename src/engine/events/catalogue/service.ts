import { count, kinds, object, text, textOrNull, flag, list, type Schema, words, time, timeOrNull } from './kind.js';

export const DELIVERY_EVENTS = kinds({
  'destination.paused': {
    severity: 'critical',
    runbook: 'Correct the platform’s address or API key and resume; changes wait until then and are not lost.',
    schema: object({ reason: text, detail: textOrNull }),
    example: { reason: 'credential_refused', detail: 'The platform answered 401.' },
  },
  'destination.back': {
    severity: 'info',
    runbook: 'No action: the platform answers again and waiting changes are being sent.',
    schema: object({ probes: count }),
    example: { probes: 4 },
  },
  'change.parked': {
    severity: 'warning',
    runbook: 'Read the platform’s answer (`changes show`), correct its cause, then retry or dismiss the change.',
    schema: object({ user_id: text, change_id: text, reason: text }),
    example: { user_id: 'usr_01k0000000abcdefghjkmnpqrs', change_id: 'chg_4711', reason: 'refused' },
  },
  'drift.found': {
    severity: 'warning',
    runbook:
      'Read the differences (`task left-out`) and send users again: the platform’s users differ from those here.',
    schema: object({ task_id: text, missing: count, different: count, extra: count }),
    example: { task_id: 'tsk_01k0000000abcdefghjkmnpqrs', missing: 2, different: 1, extra: 0 },
  },
});

const day: Schema<string> = { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' };
const whole: Schema<number> = { type: 'integer' };

export const LEDGER_EVENTS = kinds({
  'chain.day_closed': {
    severity: 'info',
    runbook: 'No action: keep the signed head of the day where this service cannot write, as evidence.',
    schema: object({
      chain: words('seats', 'audit'),
      day,
      sequence: count,
      count: whole,
      hash: text,
      // The text that is signed, byte for byte.
      signed: text,
      key_id: text,
      // Ed25519 over `signed`, base64.
      signature: text,
    }),
    example: {
      chain: 'seats',
      day: '2026-01-31',
      sequence: 1204,
      count: 87,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      signed: 'seats 2026-01-31 …',
      key_id: '0f1e2d3c4b5a6978',
      signature: 'c2lnbmF0dXJlIG9mIHRoZSBoZWFk',
    },
  },
  'ledger.corrected': {
    severity: 'warning',
    runbook:
      'Tell your auditors: lines that were sealed in a wrong order are corrected by further lines; none was changed.',
    schema: object({
      chain: words('seats'),
      corrections: count,
      // The first hundred of them, each with the sequences of the two lines that it names; no user: limit and policy.
      corrected: list(object({ user_id: textOrNull, holds: flag, lines: list(whole) })),
    }),
    example: {
      chain: 'seats',
      corrections: 1,
      corrected: [{ user_id: 'usr_01k0000000abcdefghjkmnpqrs', holds: false, lines: [9, 10] }],
    },
  },
});

/** Seats at the moment of the fact; the event is recorded from `threshold` seats on. */
const figures = object({ limit: count, used: count, threshold: count });

export const SEAT_EVENTS = kinds({
  'seat.limit_approaching': {
    severity: 'warning',
    runbook: 'Raise the limit or free seats: nine of ten seats are in use.',
    schema: figures,
    example: { limit: 100, used: 90, threshold: 90 },
  },
  'seat.limit_reached': {
    severity: 'critical',
    runbook: 'Raise the limit or free seats: new users wait or are refused, as the policy of the channel says.',
    schema: figures,
    example: { limit: 100, used: 100, threshold: 100 },
  },
});

const storageFigures = object({ limit_bytes: count, used_bytes: count });

export const STORAGE_EVENTS = kinds({
  'storage.approaching': {
    severity: 'warning',
    runbook: 'Delete what is not needed, or have the operator raise the limit: eight tenths of the storage are in use.',
    schema: storageFigures,
    example: { limit_bytes: 21_474_836_480, used_bytes: 17_179_869_184 },
  },
  'storage.exhausted': {
    severity: 'critical',
    runbook:
      'Delete what is not needed, or have the operator raise the limit: requests that add data are refused, departures and deletions pass.',
    schema: storageFigures,
    example: { limit_bytes: 21_474_836_480, used_bytes: 21_474_836_480 },
  },
});

const ENDPOINT = 'whk_01k0000000abcdefghjkmnpqrs';

export const WEBHOOK_EVENTS = kinds({
  'webhook.failing': {
    severity: 'warning',
    runbook: 'Read the attempts of the endpoint (`webhook attempts`) and correct the receiver before it is disabled.',
    schema: object({
      endpoint_id: text,
      stage: words('first', 'half_time'),
      reason: text,
      failing_since: time,
      // When the endpoint will be disabled if nothing arrives until then.
      disabled_at: time,
    }),
    example: {
      endpoint_id: ENDPOINT,
      stage: 'first',
      reason: 'The receiver answered 500.',
      failing_since: '2026-03-01T06:00:00.000Z',
      disabled_at: '2026-03-06T06:00:00.000Z',
    },
  },
  'webhook.disabled': {
    severity: 'critical',
    runbook: 'Correct the receiver and resume the endpoint (`webhook resume`), then replay what waits since then.',
    schema: object({ endpoint_id: text, reason: text, failing_since: timeOrNull }),
    example: { endpoint_id: ENDPOINT, reason: 'failing', failing_since: '2026-03-01T06:00:00.000Z' },
  },
  'webhook.recovered': {
    severity: 'info',
    runbook: 'No action: the endpoint takes events again, and what waited is being sent.',
    schema: object({ endpoint_id: text, failing_since: timeOrNull }),
    example: { endpoint_id: ENDPOINT, failing_since: '2026-03-01T06:00:00.000Z' },
  },
});
