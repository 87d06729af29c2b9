import { kinds, object, text, time, timeOrNull, words } from './kind.js';

const ENDPOINT = 'whk_01k0000000abcdefghjkmnpqrs';

/** The events about webhook endpoints. */
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
