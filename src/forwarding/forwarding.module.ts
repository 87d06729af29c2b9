import { Module } from '@nestjs/common';
import { Channels } from '../engine/delivery/channel.js';
import { DeliveryModule } from '../engine/delivery/delivery.module.js';
import { EventSources } from '../engine/events/event-source.js';
import { TasksModule } from '../engine/work/tasks.module.js';
import { AccountFinder } from './account-finder.js';
import { ResendUserController, ChangesController } from './changes/changes.controller.js';
import { ChangesRepository } from './changes/changes.repository.js';
import { ChangesService } from './changes/changes.service.js';
import { Connections } from './connections.js';
import { ForwardingService } from './forwarding.service.js';
import { PlatformClientModule } from './platform-client/platform-client.module.js';
import { PlatformChannel } from './platform.channel.js';
import { PlatformTrial } from './platform/platform-trial.js';
import { PlatformController } from './platform/platform.controller.js';
import { PlatformService } from './platform/platform.service.js';
import { AcceptedChanges } from './statistics/accepted-changes.js';
import { StatisticsController } from './statistics/statistics.controller.js';
import { DriftStep } from './tasks/drift.step.js';
import { ForwardingTasks } from './tasks/forwarding-tasks.js';
import { ImportStep } from './tasks/import.step.js';
import { PlatformList } from './tasks/platform-list.js';
import { UserEventSource } from './user-events.js';

@Module({
  imports: [DeliveryModule, PlatformClientModule, TasksModule],
  controllers: [PlatformController, StatisticsController, ChangesController, ResendUserController],
  providers: [
    Connections,
    AccountFinder,
    PlatformChannel,
    ForwardingService,
    ForwardingTasks,
    PlatformList,
    ImportStep,
    DriftStep,
    ChangesService,
    UserEventSource,
    ChangesRepository,
    PlatformService,
    PlatformTrial,
    AcceptedChanges,
  ],
  exports: [ForwardingService, PlatformService, ChangesService, DeliveryModule, Connections],
})
export class ForwardingModule {
  constructor(channels: Channels, platform: PlatformChannel, events: EventSources, users: UserEventSource) {
    channels.add(platform);
    events.add(users);
  }
}
