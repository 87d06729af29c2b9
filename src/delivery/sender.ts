import type { LeasedLane } from './call.js';
import type { Destination } from './destinations/destination.js';
import type { Sent } from './outcome.js';

/** What a channel plugs in: it says one call to the other system and reports what came of it. It never throws for that. */
export abstract class Sender {
  abstract send(lane: LeasedLane, destination: Destination, timeoutMs: number): Promise<Sent>;
}
