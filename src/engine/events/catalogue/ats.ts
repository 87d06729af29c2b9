import { count, flag, kinds, object, text } from './kind.js';

const CONNECTION = { ats_connection_id: text, provider: text };
const EXAMPLE = { ats_connection_id: 'ats_01k0000000abcdefghjkmnpqrs', provider: 'greenhouse' };

/** The events about connections to an ATS. */
export const ATS_EVENTS = kinds({
  'ats.sync_completed': {
    severity: 'info',
    runbook: 'No action: a first or full import from the ATS is done; the counts are of jobs and candidates.',
    schema: object({ ...CONNECTION, full: flag, created: count, updated: count, closed: count }),
    example: { ...EXAMPLE, full: true, created: 120, updated: 4, closed: 2 },
  },
  'ats.degraded': {
    severity: 'warning',
    runbook: 'Read the problems of the connection: a part of it does not work, and the rest works.',
    schema: object({ ...CONNECTION, reason: text }),
    example: { ...EXAMPLE, reason: 'rate_limited' },
  },
  'ats.reconnect_needed': {
    severity: 'critical',
    runbook: 'Connect the ATS again: it has withdrawn the access, and nothing is read or written until then.',
    schema: object({ ...CONNECTION, reason: text }),
    example: { ...EXAMPLE, reason: 'grant_revoked' },
  },
  'ats.webhook_missing': {
    severity: 'warning',
    runbook: 'Check the webhook in the ATS: the poll found changes that no webhook had brought.',
    schema: object({ ...CONNECTION, found: count }),
    example: { ...EXAMPLE, found: 3 },
  },
});
