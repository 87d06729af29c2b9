import { Module } from '@nestjs/common';
import { TasksModule } from '../../../engine/work/tasks.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsRecordsModule } from '../records/records.module.js';
import { EventsApplier } from './apply/events-applier.js';
import { EventsWorker } from './apply/events-worker.js';
import { InboundDoor } from './inbound-door.js';
import { InboundEventsRepository } from './inbound-events.repository.js';
import { InboundEventsService } from './inbound-events.service.js';
import { InboundController, InboundEventsController } from './inbound.controller.js';
import { InboundService } from './inbound.service.js';

@Module({
  imports: [AtsCallsModule, AtsConnectionsModule, AtsRecordsModule, TasksModule],
  controllers: [InboundController, InboundEventsController],
  providers: [InboundService, EventsApplier, EventsWorker, InboundDoor, InboundEventsRepository, InboundEventsService],
  exports: [InboundDoor, InboundEventsService],
})
export class AtsInboundModule {}
