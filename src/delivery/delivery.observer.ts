import { Injectable } from '@nestjs/common';
import type { DestinationKey } from './destinations/destination.js';

/** The domain events of the delivery. An observer must not throw, and the delivery does not wait for it. */
export abstract class DeliveryObserver {
  /** A destination takes nothing more until an administrator acts. */
  abstract destinationPaused(destination: DestinationKey, reason: string, detail: string): void;
  /** A subject is parked with all its changes up to `through`. */
  abstract changeParked(destination: DestinationKey, subject: string, through: number, reason: string): void;
}

/** Tells all observers: rooms above this one add themselves when they start. */
@Injectable()
export class DeliveryObservers extends DeliveryObserver {
  private readonly all: DeliveryObserver[] = [];

  add(observer: DeliveryObserver): void {
    this.all.push(observer);
  }

  destinationPaused(...event: Parameters<DeliveryObserver['destinationPaused']>): void {
    for (const observer of this.all) observer.destinationPaused(...event);
  }

  changeParked(...event: Parameters<DeliveryObserver['changeParked']>): void {
    for (const observer of this.all) observer.changeParked(...event);
  }
}
