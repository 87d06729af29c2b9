import { Global, Module } from '@nestjs/common';
import { EventsController } from './events.controller.js';
import { EventReceivers } from './event-receivers.js';
import { EventRecorder } from './event-recorder.js';
import { EventsRepository } from './events.repository.js';

const SHARED = [EventsRepository, EventReceivers, EventRecorder];

/** The catalogue of events and their record. Global: each room records the events of its own facts. */
@Global()
@Module({ controllers: [EventsController], providers: SHARED, exports: SHARED })
export class EventsModule {}
