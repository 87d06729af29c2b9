import { count, kinds, object, text, textOrNull, time } from './kind.js';

const CONNECTION = 'con_01k0000000abcdefghjkmnpqrs';

/** The events about sign-in. */
export const CONNECTION_EVENTS = kinds({
  'connection.certificate_expiring': {
    severity: 'warning',
    runbook: 'Add the IdP’s next signing certificate to the connection; `days` 0 means that it has expired.',
    schema: object({ connection_id: text, fingerprint: text, not_after: time, days: count }),
    example: {
      connection_id: CONNECTION,
      fingerprint: '0D:F5:5B:6C:1A:22:9E',
      not_after: '2026-03-01T00:00:00.000Z',
      days: 30,
    },
  },
  'connection.metadata_waiting': {
    severity: 'warning',
    runbook: 'Compare the IdP’s new metadata with its console, then confirm it; until then the old settings are used.',
    schema: object({ connection_id: text, problem: text }),
    example: { connection_id: CONNECTION, problem: 'The metadata names another entity id.' },
  },
  'domain.lost': {
    severity: 'warning',
    runbook: 'Publish the TXT record again; after a week without it the domain is free for other tenants.',
    schema: object({ domain: text, problem: textOrNull }),
    example: { domain: 'example.com', problem: 'The TXT record is missing.' },
  },
  'sign_in.email_claimed': {
    severity: 'warning',
    runbook:
      'Ask who writes to `directory_id` why its user `claimed_by` has the e-mail of `user_id`, who still signs in; correct one of the two.',
    schema: object({ user_id: text, claimed_by: text, directory_id: textOrNull }),
    example: {
      user_id: 'usr_01k0000000abcdefghjkmnpqrs',
      claimed_by: 'usr_01k1111111abcdefghjkmnpqrs',
      directory_id: 'dir_01k0000000abcdefghjkmnpqrs',
    },
  },
  'session.ended': {
    severity: 'info',
    runbook: 'No action: end what your application keeps for this session (`sid` of its token).',
    schema: object({ session_id: text, user_id: text, reason: text }),
    example: {
      session_id: 'ses_01k0000000abcdefghjkmnpqrs',
      user_id: 'usr_01k0000000abcdefghjkmnpqrs',
      reason: 'deactivated',
    },
  },
});
