import { count, kinds, object, text, textOrNull } from './kind.js';

/** The events about the delivery to the platform. */
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
