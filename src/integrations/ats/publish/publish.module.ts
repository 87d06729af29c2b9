import { Module } from '@nestjs/common';
import { Channels } from '../../../engine/delivery/channel.js';
import { DeliveryModule } from '../../../engine/delivery/delivery.module.js';
import { InterviewsModule } from '../../../hiring/interviews/interviews.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsPublish } from './ats-publish.js';
import { AtsWritesController } from './ats-writes.controller.js';
import { AtsWritesRepository } from './ats-writes.repository.js';
import { AtsWritesService } from './ats-writes.service.js';
import { AtsChannel } from './ats.channel.js';
import { WritePlanner } from './write-planner.js';
import { WriteSender } from './write-sender.js';

@Module({
  imports: [AtsConnectionsModule, AtsCallsModule, DeliveryModule, InterviewsModule],
  controllers: [AtsWritesController],
  providers: [AtsChannel, AtsPublish, AtsWritesRepository, AtsWritesService, WritePlanner, WriteSender],
  exports: [AtsPublish, AtsWritesRepository],
})
export class AtsPublishModule {
  constructor(channels: Channels, channel: AtsChannel) {
    channels.add(channel);
  }
}
