import { kinds, list, object, text, textOrNull, type ValueOf, words } from './kind.js';

/** A user, the role that administers, and what the role may do; `role` is null for the owner, who administers without one. */
const administrator = object({ user_id: text, role: textOrNull, console: words('admin', 'auditor') });
const removed = object({
  user_id: text,
  role: textOrNull,
  console: words('admin', 'auditor'),
  keys: list(text),
});
const EXAMPLE: ValueOf<typeof administrator> = {
  user_id: 'usr_01k0000000abcdefghjkmnpqrs',
  role: 'Admin',
  console: 'admin',
};

/** The events about users who administer the tenant. */
export const ADMINISTRATOR_EVENTS = kinds({
  'administrator.added': {
    severity: 'warning',
    runbook: 'Check that the user is meant to administer the tenant; the audit log has the writer that gave the role.',
    schema: administrator,
    example: EXAMPLE,
  },
  'administrator.removed': {
    severity: 'info',
    runbook: 'Check the API keys in `keys`, which the user has or has made: they work until they are revoked.',
    schema: removed,
    example: { ...EXAMPLE, keys: ['key_01k0000000abcdefghjkmnpqrs'] },
  },
  'administrator.identity_changed': {
    severity: 'warning',
    runbook:
      'Check that the user still is the same person: what a sign-in finds the user by has changed, and sessions and bindings have ended.',
    schema: object({ user_id: text, role: textOrNull, console: words('admin', 'auditor'), fields: list(text) }),
    example: { ...EXAMPLE, fields: ['emails'] },
  },
});
