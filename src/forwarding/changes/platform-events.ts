import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../base/domain-events.js';
import { ChangeParked, DestinationBack, DestinationPaused } from '../../engine/delivery/delivery.events.js';
import type { DestinationKey } from '../../engine/delivery/destination.js';
import { EventsRepository, type NewEvent } from '../../engine/events/events.service.js';
import type { SqlRunner } from '../../base/database/database.js';
import { changeId } from './change.mapping.js';
import { PLATFORM } from '../platform-destination.js';

/** Records what the delivery reports of the platform as events of the tenant, in the transaction of the fact. */
@Injectable()
export class PlatformEvents {
  constructor(
    private readonly records: EventsRepository,
    events: DomainEvents,
  ) {
    events.on(DestinationPaused, ({ tx, destination, reason, detail }) =>
      this.record(tx, destination, { event: 'destination.paused', data: { reason, detail } }),
    );
    events.on(DestinationBack, ({ tx, destination, probes }) =>
      this.record(tx, destination, { event: 'destination.back', data: { probes } }),
    );
    events.on(ChangeParked, ({ tx, destination, subject, through, reason }) => {
      const data = { user_id: subject, change_id: changeId(through), reason };
      return this.record(tx, destination, { event: 'change.parked', data });
    });
  }

  private async record(tx: SqlRunner, { tenantId, channel }: DestinationKey, event: NewEvent): Promise<void> {
    if (channel === PLATFORM) await this.records.record(tenantId, [event], tx);
  }
}
