import { count, object, text, textOrNull, time, type Kinds } from './kind.js';

/** The data of the events about sign-in: connections, domains and sessions. */
export interface ConnectionEvents {
  'connection.certificate_expiring': {
    connection_id: string;
    fingerprint: string;
    not_after: string;
    days: number;
  };
  'connection.metadata_waiting': { connection_id: string; problem: string };
  'domain.lost': { domain: string; problem: string | null };
  'session.ended': { session_id: string; user_id: string; reason: string };
}

const CONNECTION = 'con_01k0000000abcdefghjkmnpqrs';

/** The events about sign-in. */
export const CONNECTION_EVENTS: Kinds<ConnectionEvents> = {
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
};
