import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { Database } from '../../../base/database/database.js';
import { DestinationStatesRepository } from '../destinations/destination-states.repository.js';
import { backlog, REPORTED_CHANNELS } from '../lanes/read.js';

/** The figures of the delivery, by channel. No tenant and no subject is ever a label. */
@Injectable()
export class DeliveryMetrics {
  readonly attempts = new Counter({
    name: 'bridge_delivery_attempts_total',
    help: 'Calls to destinations, by channel and outcome',
    labelNames: ['channel', 'outcome'],
    registers: [],
  });
  readonly duration = new Histogram({
    name: 'bridge_delivery_attempt_seconds',
    help: 'How long the calls took',
    labelNames: ['channel'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [],
  });
  readonly parked = new Counter({
    name: 'bridge_delivery_parked_total',
    help: 'Changes that were parked, by channel and reason',
    labelNames: ['channel', 'reason'],
    registers: [],
  });

  constructor(
    private readonly db: Database,
    private readonly states: DestinationStatesRepository,
  ) {}

  register(registry: Registry): void {
    const { db, states } = this;
    registry.registerMetric(this.attempts);
    registry.registerMetric(this.duration);
    registry.registerMetric(this.parked);
    const waiting = new Gauge({
      name: 'bridge_delivery_waiting',
      help: 'Users (channel platform), messages (webhook) and candidates (ats) that something waits to be sent for',
      labelNames: ['channel'],
      registers: [registry],
    });
    const parked = new Gauge({
      name: 'bridge_delivery_parked',
      help: 'Users whose changes are parked',
      registers: [registry],
    });
    // One query for each channel answers all three. An endpoint that a customer leaves broken is no alarm of the operator, so
    // parked and old lanes are counted for the platform alone.
    new Gauge({
      name: 'bridge_delivery_oldest_seconds',
      help: 'Age of the oldest change that waits',
      registers: [registry],
      async collect() {
        for (const channel of REPORTED_CHANNELS) {
          const figures = await backlog(db, channel);
          waiting.set({ channel }, figures.waiting);
          if (channel !== 'platform') continue;
          parked.set(figures.parked);
          this.set(figures.oldestSeconds);
        }
      },
    });
    new Gauge({
      name: 'bridge_destinations',
      help: 'Platform connections, by state',
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        for (const [state, count] of Object.entries(await states.countByState())) this.set({ state }, count);
      },
    });
  }
}
