import { Module } from '@nestjs/common';
import { Channels } from '../../engine/delivery/channel.js';
import { DeliveryModule } from '../../engine/delivery/delivery.module.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { PlatformClientModule } from '../../forwarding/platform-client/platform-client.module.js';
import { CandidatesModule } from '../candidates/candidates.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { EngineChannel } from './engine/engine.channel.js';
import { InterviewEngineController } from './engine/engine.controller.js';
import { EngineService } from './engine/engine.service.js';
import { InstallationEngine } from './installation-engine.js';
import { CandidateInterviewsController, InterviewsController } from './interviews.controller.js';
import { InterviewsRepository } from './interviews.repository.js';
import { InterviewsService } from './interviews.service.js';
import { Meetings } from './meetings.js';
import { ScorecardsController, ScorecardsService } from './scorecards.controller.js';

@Module({
  imports: [CandidatesModule, JobsModule, DeliveryModule, ForwardingModule, PlatformClientModule],
  controllers: [CandidateInterviewsController, InterviewsController, ScorecardsController, InterviewEngineController],
  providers: [
    InterviewsRepository,
    EngineChannel,
    EngineService,
    InstallationEngine,
    Meetings,
    InterviewsService,
    ScorecardsService,
  ],
  exports: [InterviewsRepository, EngineService],
})
export class InterviewsModule {
  constructor(channels: Channels, engine: EngineChannel) {
    channels.add(engine);
  }
}
