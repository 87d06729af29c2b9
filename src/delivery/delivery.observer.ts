/** Whoever wants to be told at once (webhooks, the console). Telling must not throw. */
export abstract class DeliveryObserver {
  abstract destinationPaused(tenantId: string, reason: string, detail: string): void;
  abstract changeParked(tenantId: string, userId: string, through: number, reason: string): void;
}

/** Tells nobody. */
export class SilentObserver extends DeliveryObserver {
  destinationPaused(): void {}
  changeParked(): void {}
}
