import type { Cap } from '../../tenancy/tenants/caps.js';

/** How many interviews a candidate can have. */
export const INTERVIEWS_CAP: Cap = {
  most: 1_000,
  code: 'too_many_interviews',
  whose: 'A candidate',
  what: 'interviews',
  remedy: 'they go with the candidate',
  count: `select count(*)::int as n from interviews where tenant_id = $1 and candidate_id = $2`,
  lock: `select 1 from candidates where tenant_id = $1 and id = $2 for no key update`,
};
