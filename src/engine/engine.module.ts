import { Module } from '@nestjs/common';
import { DeliveryModule } from './delivery/delivery.module.js';
import { EventsModule } from './events/events.module.js';
import { TasksModule } from './work/tasks.module.js';

@Module({ imports: [DeliveryModule, EventsModule, TasksModule] })
export class EngineModule {}
