import { count, kinds, object, text, textOrNull, time, words } from './kind.js';

const DIRECTORY = 'dir_01k0000000abcdefghjkmnpqrs';

/** The events about directories and credentials. */
export const DIRECTORY_EVENTS = kinds({
  'credential.expiring': {
    severity: 'warning',
    runbook: 'Rotate the credential and give the IdP or program the new secret before it expires.',
    schema: object({
      kind: words('api_key', 'scim_token', 'client_secret'),
      credential_id: text,
      directory_id: textOrNull,
      expires_at: time,
      days: count,
    }),
    example: {
      kind: 'scim_token',
      credential_id: 'tok_01k0000000abcdefghjkmnpqrs',
      directory_id: DIRECTORY,
      expires_at: '2026-03-01T00:00:00.000Z',
      days: 30,
    },
  },
  'directory.refused': {
    severity: 'warning',
    runbook: 'Put a valid token into the IdP’s provisioning settings; until then no change of the directory arrives.',
    schema: object({ directory_id: textOrNull, reason: text, token_prefix: text }),
    example: { directory_id: DIRECTORY, reason: 'expired', token_prefix: 'tbs_01k0000000_ab' },
  },
  'directory.quiet': {
    severity: 'warning',
    runbook: 'Look into the IdP whether provisioning still runs: no request came for three times the usual interval.',
    schema: object({ directory_id: text, last_request_at: time, usual_interval_seconds: count }),
    example: { directory_id: DIRECTORY, last_request_at: '2026-03-01T06:00:00.000Z', usual_interval_seconds: 2400 },
  },
  'provisioning.held': {
    severity: 'critical',
    runbook: 'More users left a directory than its guard lets go. Read who is held, then release or discard them.',
    schema: object({ directory_id: text, limit: count, window_started_at: time }),
    example: { directory_id: DIRECTORY, limit: 200, window_started_at: '2026-03-01T06:00:00.000Z' },
  },
});
