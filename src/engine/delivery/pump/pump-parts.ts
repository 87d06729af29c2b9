import type { Activity } from '../../../base/activity.js';
import type { Database } from '../../../base/database/database.js';
import type { Logger } from '../../../base/log/logger.js';
import type { DeliveryMetrics } from './delivery.metrics.js';
import type { DomainEvents } from '../../../base/domain-events.js';
import type { DeliveryOptions } from '../delivery.options.js';
import type { Destination } from '../destination.js';
import type { DestinationStatesRepository } from '../destinations/destination-states.repository.js';
import type { DestinationsRepository } from '../destinations/destinations.repository.js';
import type { CallBudget } from './call-budget.js';
import type { Semaphore } from '../../../base/semaphore.js';

/** What all pumps of a worker share. */
export interface PumpParts {
  db: Database;
  destinations: DestinationsRepository;
  states: DestinationStatesRepository;
  options: DeliveryOptions;
  metrics: DeliveryMetrics;
  events: DomainEvents;
  logger: Logger;
  /** How busy this process is with requests, which go first. */
  activity: Activity;
  claims: Semaphore;
  /** Calls that are out, over all destinations. */
  calls: CallBudget;
}

/** Returns how long a lease holds: longer than the deadline of its call, so that only one process speaks for a lane. */
export function leaseMs(destination: Destination, { options }: PumpParts): number {
  return destination.settings.timeout_ms + options.leaseMarginMs;
}
