import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { Database } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { Logger } from '../../../base/log/logger.js';
import { Semaphore } from '../../../base/loop.js';
import { DeliveryOptions } from '../delivery.options.js';
import type { Destination } from '../destination.js';
import { DestinationStatesRepository } from '../destinations/destination-states.repository.js';
import { DestinationsRepository } from '../destinations/destinations.repository.js';
import { DeliveryMetrics } from './delivery.metrics.js';

/**
 * The calls that are out, over all destinations and for each tenant: destinations that hang take no more than a share of the
 * process.
 */
export class CallBudget {
  private out = 0;
  private readonly byTenant = new Map<string, number>();

  constructor(
    private readonly limit: number,
    private readonly limitOfTenant: number,
  ) {}

  roomFor(tenantId: string): number {
    return Math.min(this.limit - this.out, this.limitOfTenant - (this.byTenant.get(tenantId) ?? 0));
  }

  take(tenantId: string): void {
    this.out++;
    this.byTenant.set(tenantId, (this.byTenant.get(tenantId) ?? 0) + 1);
  }

  release(tenantId: string): void {
    this.out--;
    const left = (this.byTenant.get(tenantId) ?? 1) - 1;
    if (left === 0) this.byTenant.delete(tenantId);
    else this.byTenant.set(tenantId, left);
  }
}

@Injectable()
export class PumpParts {
  readonly claims: Semaphore;
  readonly calls: CallBudget;

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

/** A lease is longer than the deadline of its call, so that only one process sends for a lane. */
export function leaseMs(destination: Destination, { options }: PumpParts): number {
  return destination.settings.timeout_ms + options.leaseMarginMs;
}
