import { TENANT_ROW, type Cap } from '../../../tenancy/tenants/caps.js';

/** How many connections to ATSs a tenant can have. */
export const ATS_CONNECTIONS_CAP: Cap = {
  most: 20,
  code: 'too_many_ats_connections',
  whose: 'A tenant',
  what: 'connections to ATSs',
  remedy: 'delete one that is disconnected',
  count: `select count(*)::int as n from ats_connections where tenant_id = $1`,
  lock: TENANT_ROW,
};
