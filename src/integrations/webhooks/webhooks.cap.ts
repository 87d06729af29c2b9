import { TENANT_ROW, type Cap } from '../../tenancy/tenants/caps.js';

/** How many webhook endpoints a tenant can have. */
export const WEBHOOKS_CAP: Cap = {
  most: 50,
  code: 'too_many_webhooks',
  whose: 'A tenant',
  what: 'webhook endpoints',
  remedy: 'delete one that is not needed',
  count: `select count(*)::int as n from webhook_endpoints where tenant_id = $1`,
  lock: TENANT_ROW,
};
