import type { Activity } from '../../base/activity.js';
import type { Logger } from '../../base/log/logger.js';
import type { DeliveryMetrics } from '../delivery.metrics.js';
import type { DeliveryObserver } from '../delivery.observer.js';
import type { DeliveryOptions } from '../delivery.options.js';
import type { Destination } from '../destinations/destination.js';
import type { DestinationStatesRepository } from '../destinations/destination-states.repository.js';
import type { DestinationsRepository } from '../destinations/destinations.repository.js';
import type { LanesRepository } from '../lanes.repository.js';
import type { Sender } from '../sender.js';
import type { Turnstile } from './semaphore.js';

/** What all pumps of a worker share. */
export interface PumpParts {
  lanes: LanesRepository;
  destinations: DestinationsRepository;
  states: DestinationStatesRepository;
  sender: Sender;
  options: DeliveryOptions;
  metrics: DeliveryMetrics;
  observer: DeliveryObserver;
  logger: Logger;
  /** How busy this process is with requests, which go first. */
  activity: Activity;
  claims: Turnstile;
  /** Calls that are out, over all tenants. */
  calls: { out: number };
}

/** A lease outlives the deadline of its call, or two processes could speak for one person at the same time. */
export function leaseMs(destination: Destination, { options }: PumpParts): number {
  return destination.settings.timeout_ms + options.leaseMarginMs;
}
