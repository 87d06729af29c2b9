import { Injectable } from '@nestjs/common';
import { StorageEventRecorder } from '../../tenancy/tenants/storage/tenant-storage.js';
import { EventRecorder } from './event-recorder.js';
import { EventsRepository } from './events.repository.js';

/** Records the events of the storage of tenants. */
@Injectable()
export class RecordedStorageEvents extends StorageEventRecorder {
  constructor(
    private readonly events: EventsRepository,
    private readonly recorder: EventRecorder,
  ) {
    super();
  }

  override async record(...[tx, tenantId, event, data]: Parameters<StorageEventRecorder['record']>): Promise<void> {
    await this.events.record(tenantId, [{ event, data }], tx);
    this.recorder.wake(tenantId, event);
  }
}
