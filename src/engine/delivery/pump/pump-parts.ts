import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { Database } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { DeliveryMetrics } from './delivery.metrics.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { DeliveryOptions } from '../delivery.options.js';
import type { Destination } from '../destination.js';
import { DestinationStatesRepository } from '../destinations/destination-states.repository.js';
import { DestinationsRepository } from '../destinations/destinations.repository.js';
import { CallBudget } from './call-budget.js';
import { Semaphore } from '../../../base/loop.js';

/** What all pumps of a worker share. */
@Injectable()
export class PumpParts {
  readonly claims: Semaphore;
  /** Calls that are out, over all destinations. */
  readonly calls: CallBudget;

  /** @param activity how busy this process is with requests, which go first */
  constructor(
    readonly db: Database,
    readonly destinations: DestinationsRepository,
    readonly states: DestinationStatesRepository,
    readonly options: DeliveryOptions,
    readonly metrics: DeliveryMetrics,
    readonly events: DomainEvents,
    readonly logger: Logger,
    readonly activity: Activity,
  ) {
    this.claims = new Semaphore(options.claims);
    this.calls = new CallBudget(options.calls, options.callsOfTenant);
  }
}

/** Returns how long a lease holds: longer than the deadline of its call, so that only one process speaks for a lane. */
export function leaseMs(destination: Destination, { options }: PumpParts): number {
  return destination.settings.timeout_ms + options.leaseMarginMs;
}
