import { Global, Module } from '@nestjs/common';
import { EventsController } from './events.controller.js';
import { EventsRepository } from './events.repository.js';

/** The catalogue of events and their record. Global: each room records the events of its own facts. */
@Global()
@Module({ controllers: [EventsController], providers: [EventsRepository], exports: [EventsRepository] })
export class EventsModule {}
