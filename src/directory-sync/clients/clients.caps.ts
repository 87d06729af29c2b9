import type { Cap } from '../../tenancy/tenants/caps.js';
import { liveIn } from '../../tenancy/tenants/caps.js';

/** How many clients a directory can have. */
export const CLIENTS_CAP: Cap = {
  most: 10,
  code: 'too_many_clients',
  whose: 'A directory',
  what: 'clients',
  remedy: 'delete one that is not needed',
  count: `select count(*)::int as n from directory_clients where tenant_id = $1 and directory_id = $2 and revoked_at is null`,
  lock: `select 1 from directories where tenant_id = $1 and id = $2 for no key update`,
};

/** How many live secrets a client can have: the present one and the next one. */
export const CLIENT_SECRETS_CAP: Cap = {
  most: 2,
  code: 'too_many_client_secrets',
  whose: 'A client',
  what: 'live secrets',
  remedy: 'delete the one that is not used any more',
  count: liveIn('client_secrets where tenant_id = $1 and client_id = $2'),
  lock: `select 1 from directory_clients where tenant_id = $1 and id = $2 for no key update`,
};
