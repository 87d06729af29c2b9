import { endSessionsOfChanged } from '../../tenancy/sessions/sessions.repository.js';
import { revokeUserKeys } from '../../tenancy/tenants/tenants.repository.js';

/** Credentials that began in the moment in which their user was removed or changed: they are over already. */
export const CREDENTIAL_LEFTOVERS = [
  endSessionsOfChanged(
    `exists (select 1 from users u where u.tenant_id = s.tenant_id and u.id = s.user_id and u.session_epoch <> s.user_epoch)`,
  ),
  revokeUserKeys(
    `not exists (select 1 from users u where u.tenant_id = k.tenant_id and u.id = k.owner_user_id and u.status = 'active')`,
  ),
] as const;

/** Rows of groups that end automatically. */
export const GROUP_LEFTOVERS = [
  // A member of an id that no user has had for so long is a mistake of the IdP, and not late.
  `delete from pending_members p using tenants t where p.tenant_id = t.id and p.since < now() - interval '90 days'`,
] as const;

/** Departures that the guard of a directory counts no more. They hold the resources of deleted users. */
export const GUARD_LEFTOVERS = [
  `delete from guard_departures where went_at < now() - interval '1 day'`,
  `delete from guard_changes where changed_at < now() - interval '1 day'`,
] as const;
