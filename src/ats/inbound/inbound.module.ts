import { Module } from '@nestjs/common';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { EventIntake } from './event-intake.js';
import { InboundController } from './inbound.controller.js';
import { InboundDoor } from './inbound-door.js';
import { InboundService } from './inbound.service.js';
import { SignatureWatch } from './signature-watch.js';

/** What ATSs send: received, stored, applied, shown. */
@Module({
  imports: [AtsConnectionsModule],
  controllers: [InboundController],
  providers: [EventIntake, InboundDoor, InboundService, SignatureWatch],
  exports: [InboundDoor],
})
export class AtsInboundModule {}
