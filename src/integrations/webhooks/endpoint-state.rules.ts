import type { Destination } from '../../engine/delivery/destination.js';
import { STAGES } from '../../engine/delivery/retry.rules.js';

/** The states of an endpoint. */
export const ENDPOINT_STATES = ['active', 'degraded', 'paused', 'disabled'] as const;

/**
 * `active`: it takes events. `degraded`: it fails, and is tried. `paused`: by a person. `disabled`: 410, five days of
 * failures, an address that is refused, or secrets that cannot be read. Events wait while it is paused or disabled.
 */
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** The reason of a pause by a person. */
export const BY_HAND = 'by_hand';

/** Returns the state of an endpoint from that of its destination. */
export function endpointStateOf(
  destination: Pick<Destination, 'state' | 'stateReason' | 'failingSince' | 'failingStage'>,
  unreadable: boolean,
): { state: EndpointState; reason: string | null } {
  const { state, stateReason, failingSince, failingStage } = destination;
  if (unreadable) return { state: 'disabled', reason: 'secret_unreadable' };
  if (state === 'paused') return { state: stateReason === BY_HAND ? 'paused' : 'disabled', reason: stateReason };
  if (state === 'open') return { state: 'degraded', reason: stateReason };
  const failing = failingSince !== null && failingStage > STAGES.none;
  return failing ? { state: 'degraded', reason: 'failing' } : { state: 'active', reason: null };
}
