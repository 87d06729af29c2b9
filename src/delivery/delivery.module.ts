import { Module } from '@nestjs/common';
import { DeliveryMetrics } from './delivery.metrics.js';
import { DeliveryObserver, SilentObserver } from './delivery.observer.js';
import { DeliveryOptions } from './delivery.options.js';
import { DestinationStatesRepository } from './destination-states.repository.js';
import { DestinationsRepository } from './destinations.repository.js';
import { LanesRepository } from './lanes.repository.js';

/** Durable sending. The worker is made by the room that brings the Sender. */
@Module({
  providers: [
    LanesRepository,
    DestinationsRepository,
    DestinationStatesRepository,
    DeliveryMetrics,
    { provide: DeliveryOptions, useFactory: () => new DeliveryOptions() },
    { provide: DeliveryObserver, useClass: SilentObserver },
  ],
  exports: [
    LanesRepository,
    DestinationsRepository,
    DestinationStatesRepository,
    DeliveryMetrics,
    DeliveryOptions,
    DeliveryObserver,
  ],
})
export class DeliveryModule {}
