import {
  kinds,
  list,
  object,
  text,
  textOrNull,
  type ValueOf,
  words,
  count,
  time,
  record,
  type Schema,
} from './kind.js';

/** `role` is null for the owner, who administers without one. */
const administrator = object({ user_id: text, role: textOrNull, console: words('admin', 'auditor') });
const removed = object({
  user_id: text,
  role: textOrNull,
  console: words('admin', 'auditor'),
  keys: list(text),
});
const ADMINISTRATOR_EXAMPLE: ValueOf<typeof administrator> = {
  user_id: 'usr_01k0000000abcdefghjkmnpqrs',
  role: 'Admin',
  console: 'admin',
};

export const ADMINISTRATOR_EVENTS = kinds({
  'administrator.added': {
    severity: 'warning',
    runbook: 'Check that the user is meant to administer the tenant; the audit log has the writer that gave the role.',
    schema: administrator,
    example: ADMINISTRATOR_EXAMPLE,
  },
  'administrator.removed': {
    severity: 'info',
    runbook: 'Check the API keys in `keys`, which the user has or has made: they work until they are revoked.',
    schema: removed,
    example: { ...ADMINISTRATOR_EXAMPLE, keys: ['key_01k0000000abcdefghjkmnpqrs'] },
  },
  'administrator.identity_changed': {
    severity: 'warning',
    runbook:
      'Check that the user still is the same person: what a sign-in finds the user by has changed, and sessions and bindings have ended.',
    schema: object({ user_id: text, role: textOrNull, console: words('admin', 'auditor'), fields: list(text) }),
    example: { ...ADMINISTRATOR_EXAMPLE, fields: ['emails'] },
  },
});

const CONNECTION = 'con_01k0000000abcdefghjkmnpqrs';

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

const DIRECTORY = 'dir_01k0000000abcdefghjkmnpqrs';

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

const linked: Schema<true> = { const: true };

const user = object(
  {
    email: textOrNull,
    first_name: text,
    last_name: text,
    role: textOrNull,
    external_id: textOrNull,
    id: text,
    status: words('active', 'inactive', 'deleted'),
    changed: list(text),
    sequence: count,
  },
  // Absent unless a directory has linked the user.
  { linked },
);

const USER_EXAMPLE: ValueOf<typeof user> = {
  email: 'bjensen@example.com',
  first_name: 'Barbara',
  last_name: 'Jensen',
  role: 'User',
  external_id: '00u1abcd2EFGH3ijk4l5',
  id: 'usr_01k0000000abcdefghjkmnpqrs',
  status: 'active',
  changed: ['email', 'first_name', 'last_name', 'role', 'external_id', 'status'],
  sequence: 4711,
};

export const USER_EVENTS = kinds({
  'user.created': {
    severity: 'info',
    runbook: 'No action: a user was added through the API, a directory or a sign-in.',
    schema: record(user),
    example: USER_EXAMPLE,
  },
  'user.updated': {
    severity: 'info',
    runbook: 'No action: fields of a user have changed, or a directory has linked the user (`linked`).',
    schema: record(user),
    example: { ...USER_EXAMPLE, last_name: 'Smith', changed: ['last_name'], sequence: 4712 },
  },
  'user.deactivated': {
    severity: 'info',
    runbook: 'No action: the user is inactive, and the sessions of the user have ended.',
    schema: record(user),
    example: { ...USER_EXAMPLE, status: 'inactive', changed: ['status'], sequence: 4713 },
  },
  'user.reactivated': {
    severity: 'info',
    runbook: 'No action: the user is active again and can sign in.',
    schema: record(user),
    example: { ...USER_EXAMPLE, changed: ['status'], sequence: 4714 },
  },
  'user.deleted': {
    severity: 'info',
    runbook: 'No action: the user is deleted here; `data` is the user before the deletion.',
    schema: record(user),
    example: { ...USER_EXAMPLE, status: 'deleted', changed: ['status'], sequence: 4715 },
  },
});
