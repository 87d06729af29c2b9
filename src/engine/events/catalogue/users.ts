import { count, kinds, list, object, record, type Schema, text, textOrNull, type ValueOf, words } from './kind.js';

const linked: Schema<true> = { const: true };

/** The user of a change, and what changed. */
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
  // A directory has linked the user; left out: it has not.
  { linked },
);

const EXAMPLE: ValueOf<typeof user> = {
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

/** The events about users. */
export const USER_EVENTS = kinds({
  'user.created': {
    severity: 'info',
    runbook: 'No action: a user was added through the API, a directory or a sign-in.',
    schema: record(user),
    example: EXAMPLE,
  },
  'user.updated': {
    severity: 'info',
    runbook: 'No action: fields of a user have changed, or a directory has linked the user (`linked`).',
    schema: record(user),
    example: { ...EXAMPLE, last_name: 'Smith', changed: ['last_name'], sequence: 4712 },
  },
  'user.deactivated': {
    severity: 'info',
    runbook: 'No action: the user is inactive, and the sessions of the user have ended.',
    schema: record(user),
    example: { ...EXAMPLE, status: 'inactive', changed: ['status'], sequence: 4713 },
  },
  'user.reactivated': {
    severity: 'info',
    runbook: 'No action: the user is active again and can sign in.',
    schema: record(user),
    example: { ...EXAMPLE, changed: ['status'], sequence: 4714 },
  },
  'user.deleted': {
    severity: 'info',
    runbook: 'No action: the user is deleted here; `data` is the user before the deletion.',
    schema: record(user),
    example: { ...EXAMPLE, status: 'deleted', changed: ['status'], sequence: 4715 },
  },
});
