import { Injectable } from '@nestjs/common';

/** Whoever wants to be told at once (webhooks, the console). Telling must not throw, and waits for nobody. */
export abstract class DeliveryObserver {
  abstract destinationPaused(tenantId: string, reason: string, detail: string): void;
  abstract changeParked(tenantId: string, userId: string, through: number, reason: string): void;
}

/** Tells everybody who asked for it: rooms above this one add themselves when they start. */
@Injectable()
export class DeliveryObservers extends DeliveryObserver {
  private readonly all: DeliveryObserver[] = [];

  add(observer: DeliveryObserver): void {
    this.all.push(observer);
  }

  destinationPaused(tenantId: string, reason: string, detail: string): void {
    for (const observer of this.all) observer.destinationPaused(tenantId, reason, detail);
  }

  changeParked(tenantId: string, userId: string, through: number, reason: string): void {
    for (const observer of this.all) observer.changeParked(tenantId, userId, through, reason);
  }
}
