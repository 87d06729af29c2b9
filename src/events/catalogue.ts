/** How urgent an event is. `critical`: users or changes are affected now. */
export type Severity = 'info' | 'warning' | 'critical';

/** The data of each event, by its name. Times are ISO 8601 in UTC. */
export interface EventData {
  'credential.expiring': {
    kind: 'api_key' | 'scim_token';
    credential_id: string;
    directory_id: string | null;
    expires_at: string;
    days: number;
  };
  'connection.certificate_expiring': {
    connection_id: string;
    fingerprint: string;
    not_after: string;
    days: number;
  };
  'destination.paused': { reason: string; detail: string | null };
  'destination.back': { probes: number };
  'change.parked': { user_id: string; change_id: string; reason: string };
  'directory.refused': { directory_id: string; reason: string; token_prefix: string };
  'domain.lost': { domain: string; problem: string | null };
}

/** The name of an event. */
export type EventName = keyof EventData;

/** What the catalogue says of an event. */
export interface EventKind<Data = object> {
  severity: Severity;
  /** One line for the person who is on call. */
  runbook: string;
  /** JSON Schema (draft 2020-12) of `data`. */
  schema: object;
  example: Data;
}

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const time = { type: 'string', format: 'date-time' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** An object that has just these properties. */
function object(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Every event that a tenant is told. */
export const EVENTS: { readonly [Name in EventName]: EventKind<EventData[Name]> } = {
  'credential.expiring': {
    severity: 'warning',
    runbook: 'Rotate the credential and give the IdP or program the new secret before it expires.',
    schema: object({
      kind: { enum: ['api_key', 'scim_token'] },
      credential_id: text,
      directory_id: textOrNull,
      expires_at: time,
      days: count,
    }),
    example: {
      kind: 'scim_token',
      credential_id: 'tok_01k0000000abcdefghjkmnpqrs',
      directory_id: 'dir_01k0000000abcdefghjkmnpqrs',
      expires_at: '2026-03-01T00:00:00.000Z',
      days: 30,
    },
  },
  'connection.certificate_expiring': {
    severity: 'warning',
    runbook: 'Add the IdP’s next signing certificate to the connection; `days` 0 means that it has expired.',
    schema: object({ connection_id: text, fingerprint: text, not_after: time, days: count }),
    example: {
      connection_id: 'con_01k0000000abcdefghjkmnpqrs',
      fingerprint: '0D:F5:5B:6C:1A:22:9E',
      not_after: '2026-03-01T00:00:00.000Z',
      days: 30,
    },
  },
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
  'directory.refused': {
    severity: 'warning',
    runbook: 'Put a valid token into the IdP’s provisioning settings; until then no change of the directory arrives.',
    schema: object({ directory_id: text, reason: text, token_prefix: text }),
    example: { directory_id: 'dir_01k0000000abcdefghjkmnpqrs', reason: 'expired', token_prefix: 'tbs_01k0000000_ab' },
  },
  'domain.lost': {
    severity: 'warning',
    runbook: 'Publish the TXT record again; after a week without it the domain is free for other tenants.',
    schema: object({ domain: text, problem: textOrNull }),
    example: { domain: 'example.com', problem: 'The TXT record is missing.' },
  },
};

/** The names of all events. */
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];
