import { Module } from '@nestjs/common';
import { Channels } from './channel.js';
import { DeliveryMetrics } from './pump/delivery.metrics.js';
import { DeliveryOptions } from './delivery.options.js';
import { LaneWakeups } from './lane-state.js';
import { DeliveryWorker } from './pump/delivery.worker.js';
import { PumpParts } from './pump/pump-parts.js';
import { DestinationStatesRepository } from './destinations/destination-states.repository.js';
import { DestinationsRepository } from './destinations/destinations.repository.js';

const SHARED = [
  Channels,
  DestinationsRepository,
  DestinationStatesRepository,
  DeliveryMetrics,
  DeliveryOptions,
  DeliveryWorker,
  LaneWakeups,
];

/** Durable sending to any destination. Rooms that bring a channel add it to `Channels`. */
@Module({
  providers: [
    Channels,
    DestinationsRepository,
    DestinationStatesRepository,
    DeliveryMetrics,
    { provide: DeliveryOptions, useFactory: () => new DeliveryOptions() },
    PumpParts,
    DeliveryWorker,
    { provide: LaneWakeups, useExisting: DeliveryWorker },
  ],
  exports: SHARED,
})
export class DeliveryModule {}
