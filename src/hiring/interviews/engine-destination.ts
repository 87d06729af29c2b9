import type { DestinationKey } from '../../engine/delivery/destination.js';

/** The name of the channel that tells interview engines of interviews. */
export const ENGINE = 'interviews';

/** Returns the key of a tenant's interview engine: there is one for each tenant. */
export function engineOf(tenantId: string): DestinationKey {
  return { tenantId, channel: ENGINE, id: 'main' };
}
