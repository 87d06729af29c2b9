import { Global, Module } from '@nestjs/common';
import { SessionEvents } from '../../tenancy/sessions/session.js';
import { StorageEventRecorder } from '../../tenancy/tenants/storage/tenant-storage.js';
import { EventFloors } from './event-floors.js';
import { EventReader } from './event-reader.js';
import { EventReceivers } from './event-receivers.js';
import { EventRecorder } from './event-recorder.js';
import { EventSources } from './event-source.js';
import { EventsController } from './events.controller.js';
import { EventsRepository } from './events.repository.js';
import { EventsService } from './events.service.js';
import { EventHorizon } from './horizon.js';
import { LedgerFacts } from './ledger-facts.js';
import { RecordedSessionEvents } from './recorded-session-events.js';
import { RecordedStorageEvents } from './recorded-storage-events.js';
import { StoredEvents } from './stored-events.js';

const SHARED = [EventHorizon, EventsRepository, EventReceivers, EventRecorder, EventReader, EventSources, EventFloors];

/** The catalogue of events, their record and their feed. Global: each room records the events of its own facts. */
@Global()
@Module({
  controllers: [EventsController],
  providers: [
    ...SHARED,
    { provide: SessionEvents, useClass: RecordedSessionEvents },
    { provide: StorageEventRecorder, useClass: RecordedStorageEvents },
    StoredEvents,
    EventsService,
    LedgerFacts,
  ],
  exports: [...SHARED, SessionEvents, StorageEventRecorder],
})
export class EventsModule {
  constructor(sources: EventSources, stored: StoredEvents) {
    sources.add(stored);
  }
}
