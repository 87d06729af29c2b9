import { Module } from '@nestjs/common';
import { DeliveryModule } from '../engine/delivery/delivery.module.js';
import { Channels } from '../engine/delivery/channel.js';
import { PlatformClientModule } from './platform-client/platform-client.module.js';
import { AccountFinder } from './account-finder.js';
import { ResendUserController } from './changes/resend-user.controller.js';
import { ChangesController } from './changes/changes.controller.js';
import { ChangesRepository } from './changes/changes.repository.js';
import { ChangesService } from './changes/changes.service.js';
import { ForwardingService } from './forwarding.service.js';
import { SeenRepository } from './tasks/seen.repository.js';
import { DriftRepository } from './tasks/drift.repository.js';
import { DriftStep } from './tasks/drift.step.js';
import { ImportStep } from './tasks/import.step.js';
import { PlatformEvents } from './changes/platform-events.js';
import { ForwardingTasks } from './tasks/forwarding-tasks.js';
import { PlatformList } from './tasks/platform-list.js';
import { SendAgainSteps } from './tasks/send-again.steps.js';
import { PeopleIntakePort } from './people-intake.js';
import { Connections } from './connections.js';
import { ChangeTasks } from './changes/change-tasks.js';
import { ParkedChangesRepository } from './changes/parked-changes.repository.js';
import { FirstPlatform } from './platform/first-platform.js';
import { PlatformTrial } from './platform/platform-trial.js';
import { PlatformController } from './platform/platform.controller.js';
import { PlatformLookUp } from './platform/platform-look-up.js';
import { PlatformTasks } from './platform/platform-tasks.js';
import { PlatformService } from './platform/platform.service.js';
import { TasksModule } from '../engine/work/tasks.module.js';
import { EventSources } from '../engine/events/event-source.js';
import { PlatformChannel } from './platform.channel.js';
import { AcceptedChanges } from './statistics/accepted-changes.js';
import { StatisticsController } from './statistics/statistics.controller.js';
import { StatisticsRepository } from './statistics/statistics.repository.js';
import { UserEventSource } from './user-events.js';

/** Telling the platform about people. */
@Module({
  imports: [DeliveryModule, PlatformClientModule, TasksModule],
  controllers: [PlatformController, StatisticsController, ChangesController, ResendUserController],
  providers: [
    Connections,
    AccountFinder,
    PlatformChannel,
    ForwardingService,
    SendAgainSteps,
    PeopleIntakePort,
    PlatformList,
    ImportStep,
    DriftRepository,
    SeenRepository,
    DriftStep,
    ForwardingTasks,
    PlatformEvents,
    UserEventSource,
    ChangesRepository,
    ChangesService,
    ParkedChangesRepository,
    ChangeTasks,
    PlatformService,
    PlatformLookUp,
    PlatformTasks,
    FirstPlatform,
    PlatformTrial,
    StatisticsRepository,
    AcceptedChanges,
  ],
  exports: [
    PeopleIntakePort,
    FirstPlatform,
    ForwardingService,
    PlatformService,
    ChangesService,
    DeliveryModule,
    Connections,
  ],
})
export class ForwardingModule {
  constructor(channels: Channels, platform: PlatformChannel, events: EventSources, users: UserEventSource) {
    channels.add(platform);
    events.add(users);
  }
}
