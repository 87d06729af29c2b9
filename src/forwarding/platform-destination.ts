import type { DestinationKey } from '../engine/delivery/destination.js';

/** The name of the channel that tells the platform about users. */
export const PLATFORM = 'platform';

/** Returns the key of a tenant's platform connection: there is one for each tenant. */
export function platformOf(tenantId: string): DestinationKey {
  return { tenantId, channel: PLATFORM, id: 'main' };
}
