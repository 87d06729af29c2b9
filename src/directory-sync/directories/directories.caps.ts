import { liveIn, TENANT_ROW, type Cap } from '../../tenancy/tenants/caps.js';

const DIRECTORY_ROW = `select 1 from directories where tenant_id = $1 and id = $2 for no key update`;

/** How many directories a tenant can have. */
export const DIRECTORIES_CAP: Cap = {
  most: 50,
  code: 'too_many_directories',
  whose: 'A tenant',
  what: 'directories',
  remedy: 'delete one that is not needed',
  count: `select count(*)::int as n from directories where tenant_id = $1 and deleted_at is null`,
  lock: TENANT_ROW,
};

/** How many live SCIM tokens a directory can have. */
export const SCIM_TOKENS_CAP: Cap = {
  most: 20,
  code: 'too_many_scim_tokens',
  whose: 'A directory',
  what: 'live SCIM tokens',
  remedy: 'revoke one that is not needed',
  count: liveIn('scim_tokens where tenant_id = $1 and directory_id = $2'),
  lock: DIRECTORY_ROW,
};
