import { Module } from '@nestjs/common';
import { TasksModule } from '../../../engine/work/tasks.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsRecordsModule } from '../records/records.module.js';
import { BatchPlans } from './apply/batch-plans.js';
import { BatchWrites } from './apply/batch-writes.js';
import { InboundHealth } from './apply/inbound-health.js';
import { EventsApplier } from './apply/events-applier.js';
import { EventsWorker } from './apply/events-worker.js';
import { WaitingEventsRepository } from './apply/waiting-events.repository.js';
import { EventIntake } from './event-intake.js';
import { InboundController } from './inbound.controller.js';
import { InboundDoor } from './inbound-door.js';
import { InboundEventsController } from './inbound-events.controller.js';
import { InboundEventsRepository } from './inbound-events.repository.js';
import { InboundEventsService } from './inbound-events.service.js';
import { InboundService } from './inbound.service.js';
import { SignatureWatch } from './signature-watch.js';

/** What ATSs send: received, stored, applied, shown. */
@Module({
  imports: [AtsCallsModule, AtsConnectionsModule, AtsRecordsModule, TasksModule],
  controllers: [InboundController, InboundEventsController],
  providers: [
    EventIntake,
    BatchPlans,
    BatchWrites,
    EventsApplier,
    InboundHealth,
    EventsWorker,
    InboundDoor,
    InboundEventsRepository,
    InboundEventsService,
    InboundService,
    SignatureWatch,
    WaitingEventsRepository,
  ],
  exports: [InboundDoor, InboundEventsService],
})
export class AtsInboundModule {}
