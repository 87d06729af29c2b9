import { Global, Module } from '@nestjs/common';
import { SessionEvents } from '../../tenancy/sessions/session.js';
import { StorageEventRecorder } from '../../tenancy/tenants/storage/tenant-storage.js';
import { EventReader } from './event-reader.js';
import { EventRecorder } from './event-recorder.js';
import { EventSources } from './event-source.js';
import { EventsController } from './events.controller.js';
import { EventsService, EventsRepository, RecordedSessionEvents, RecordedStorageEvents } from './events.service.js';
import { StoredEvents } from './stored-events.js';

const SHARED = [EventsService, EventsRepository, EventSources, EventRecorder, EventReader];

/** The catalogue of events, their record and their feed. Global: each room records the events of its own facts. */
@Global()
@Module({
  controllers: [EventsController],
  providers: [
    ...SHARED,
    { provide: SessionEvents, useClass: RecordedSessionEvents },
    { provide: StorageEventRecorder, useClass: RecordedStorageEvents },
    StoredEvents,
  ],
  exports: [...SHARED, SessionEvents, StorageEventRecorder],
})
export class EventsModule {
  constructor(sources: EventSources, stored: StoredEvents) {
    sources.add(stored);
  }
}
