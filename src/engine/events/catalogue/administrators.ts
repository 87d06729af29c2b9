import { object, text, type Kinds } from './kind.js';

/** A user, the role that administers, and what the role may do. */
interface Administrator {
  user_id: string;
  /** Null: the user is the owner, who administers without a role. */
  role: string | null;
  console: 'admin' | 'auditor';
}

/** The data of the events about users who administer the tenant. */
export interface AdministratorEvents {
  'administrator.added': Administrator;
  'administrator.removed': Administrator;
}

const schema = object({
  user_id: text,
  role: { type: ['string', 'null'] },
  console: { enum: ['admin', 'auditor'] },
});
const EXAMPLE: Administrator = { user_id: 'usr_01k0000000abcdefghjkmnpqrs', role: 'Admin', console: 'admin' };

/** The events about users who administer the tenant. */
export const ADMINISTRATOR_EVENTS: Kinds<AdministratorEvents> = {
  'administrator.added': {
    severity: 'warning',
    runbook: 'Check that the user is meant to administer the tenant; the audit log has the writer that gave the role.',
    schema,
    example: EXAMPLE,
  },
  'administrator.removed': {
    severity: 'info',
    runbook: 'No action: the user does not administer the tenant any more; the audit log has the writer.',
    schema,
    example: EXAMPLE,
  },
};
