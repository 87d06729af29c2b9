import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { LaneWakeups } from '../../../engine/delivery/lane-state.js';
import type { DestinationKey } from '../../../engine/delivery/destination.js';
import type { EventChannel, EventReceiver } from '../../../engine/events/event-source.js';
import { EndpointStore } from '../endpoint.store.js';
import { WEBHOOK } from '../endpoint.js';

/** Tells the room of events which endpoints there are. What happens while one is disabled waits there. */
@Injectable()
export class WebhookEventChannel implements EventChannel {
  readonly name = WEBHOOK;

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly wakeups: LaneWakeups,
  ) {}

  receiversOf(tenantId: string, db?: SqlRunner): Promise<readonly EventReceiver[]> {
    return this.endpoints.of(tenantId, db);
  }

  wake(key: DestinationKey): void {
    this.wakeups.wake(key);
  }
}
