import type { DestinationKey } from './destination.js';

/**
 * Where a room says that it has committed something for a destination. A port of one method, so that what is enqueued on the
 * road of a request does not know the worker that sends it.
 */
export abstract class LaneWakeups {
  /** Makes the worker of the destination look at once: the next poll need not be waited for. */
  abstract wake(key: DestinationKey): void;
}
