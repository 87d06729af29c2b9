import { Injectable } from '@nestjs/common';
import { Activity } from '../base/activity.js';
import { Logger } from '../base/log/logger.js';
import { DeliveryMetrics } from './delivery.metrics.js';
import { DeliveryObserver } from './delivery.observer.js';
import { DeliveryOptions } from './delivery.options.js';
import { DestinationStatesRepository } from './destinations/destination-states.repository.js';
import { DestinationsRepository } from './destinations/destinations.repository.js';
import { LanesRepository } from './lanes.repository.js';
import type { PumpParts } from './pump/pump-parts.js';
import { Sender } from './sender.js';
import { TenantPump } from './pump/destination-pump.js';
import { Turnstile } from './pump/semaphore.js';

/** What a pump has learned about its destination is kept for so long. */
const KEEP_MS = 600_000;

/**
 * Sends what is owed: finds the tenants that have something due and lets a pump move each one's lanes. Any number of
 * workers may run on one database; nothing is assumed about what another one did before it ended.
 */
@Injectable()
export class DeliveryWorker {
  private readonly pumps = new Map<string, TenantPump>();
  private readonly parts: PumpParts;
  private timer: NodeJS.Timeout | null = null;
  private polling: Promise<void> | null = null;
  private running = false;

  constructor(
    lanes: LanesRepository,
    destinations: DestinationsRepository,
    states: DestinationStatesRepository,
    sender: Sender,
    private readonly options: DeliveryOptions,
    metrics: DeliveryMetrics,
    observer: DeliveryObserver,
    private readonly logger: Logger,
    activity: Activity = new Activity(),
  ) {
    const claims = new Turnstile(options.claims);
    this.parts = {
      lanes,
      destinations,
      states,
      sender,
      options,
      metrics,
      observer,
      logger,
      activity,
      claims,
      calls: { out: 0 },
    };
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.poll();
  }

  /** Something of this tenant was committed in this process: there is no need to wait for the next poll. */
  wake(tenantId: string): void {
    if (this.running) this.pump(tenantId).kick();
  }

  /** Claims nothing more, finishes the calls that are out, and hands back the rest. */
  async stop(): Promise<void> {
    this.running = false;
    if (this.timer) clearTimeout(this.timer);
    await this.polling;
    await Promise.all([...this.pumps.values()].map((pump) => pump.stop()));
    this.pumps.clear();
  }

  private poll(): void {
    this.polling = this.look().finally(() => {
      this.polling = null;
      if (this.running) this.timer = setTimeout(() => this.poll(), this.options.pollMs);
    });
  }

  private async look(): Promise<void> {
    try {
      const due = new Set(await this.parts.lanes.tenantsDue());
      if (!this.running) return;
      for (const tenantId of due) this.pump(tenantId).kick(true);
      for (const [tenantId, pump] of this.pumps)
        if (!due.has(tenantId) && pump.quietFor(KEEP_MS)) this.pumps.delete(tenantId);
    } catch (error) {
      // The database is away: the poll is also how we find out that it is back.
      this.logger.error('delivery.poll_failed', { error });
    }
  }

  private pump(tenantId: string): TenantPump {
    let pump = this.pumps.get(tenantId);
    if (pump === undefined) {
      pump = new TenantPump(tenantId, this.parts);
      this.pumps.set(tenantId, pump);
    }
    return pump;
  }
}
