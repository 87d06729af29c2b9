import type { Check } from '../peer/check.js';
import type { Method } from '../peer/grants.js';
import { credentialCheck } from './access.js';
import { DISCOVERY_CHECKS } from './discovery.js';
import { GROUP_CHECKS } from './groups.js';
import { LEAVER_CHECKS } from './leavers.js';
import { PATCH_CHECKS } from './patches.js';
import { QUERY_CHECKS } from './queries.js';
import { USER_CHECKS } from './users.js';

/** Returns the checks of `doctor <SCIM address>`, in their order. They make eight records at most. */
export function doctorChecks(methods: readonly Method[]): Check[] {
  return [
    credentialCheck(methods),
    ...DISCOVERY_CHECKS,
    ...USER_CHECKS,
    ...QUERY_CHECKS,
    ...PATCH_CHECKS,
    ...GROUP_CHECKS,
    ...LEAVER_CHECKS,
  ];
}
