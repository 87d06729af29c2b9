import { Module } from '@nestjs/common';
import { DeliveryMetrics } from './delivery.metrics.js';
import { DeliveryObserver, DeliveryObservers } from './delivery.observer.js';
import { DeliveryOptions } from './delivery.options.js';
import { DestinationStatesRepository } from './destinations/destination-states.repository.js';
import { DestinationsRepository } from './destinations/destinations.repository.js';
import { LanesRepository } from './lanes.repository.js';

/** Durable sending. The worker is made by the room that brings the Sender. */
@Module({
  providers: [
    LanesRepository,
    DestinationsRepository,
    DestinationStatesRepository,
    DeliveryMetrics,
    { provide: DeliveryOptions, useFactory: () => new DeliveryOptions() },
    DeliveryObservers,
    { provide: DeliveryObserver, useExisting: DeliveryObservers },
  ],
  exports: [
    LanesRepository,
    DestinationsRepository,
    DestinationStatesRepository,
    DeliveryMetrics,
    DeliveryOptions,
    DeliveryObserver,
    DeliveryObservers,
  ],
})
export class DeliveryModule {}
