import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates/candidates.module.js';
import { Channels } from '../../engine/delivery/channel.js';
import { DeliveryModule } from '../../engine/delivery/delivery.module.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { PlatformClientModule } from '../../forwarding/platform-client/platform-client.module.js';
import { CandidateLock } from './candidate-lock.js';
import { EngineChannel } from './engine/engine.channel.js';
import { EngineClient } from './engine/engine.client.js';
import { InterviewEngineController } from './engine/engine.controller.js';
import { EngineLookUp } from './engine/engine-look-up.js';
import { EngineService } from './engine/engine.service.js';
import { InstallationEngine } from './installation-engine.js';
import { MeetingRecorder } from './engine/meeting-recorder.js';
import { Meetings } from './meetings.js';
import { CandidateInterviewsController, InterviewsController } from './interviews.controller.js';
import { InterviewsOfRemoved } from './interviews-of-removed.js';
import { InterviewsRepository } from './interviews.repository.js';
import { InterviewsService } from './interviews.service.js';
import { ScorecardsController } from './scorecards.controller.js';
import { ScorecardsService } from './scorecards.service.js';

/** The interviews of candidates, their meeting links and their scorecards. */
@Module({
  imports: [CandidatesModule, JobsModule, DeliveryModule, ForwardingModule, PlatformClientModule],
  controllers: [CandidateInterviewsController, InterviewsController, ScorecardsController, InterviewEngineController],
  providers: [
    CandidateLock,
    EngineChannel,
    EngineClient,
    EngineLookUp,
    EngineService,
    InstallationEngine,
    MeetingRecorder,
    Meetings,
    InterviewsRepository,
    InterviewsService,
    InterviewsOfRemoved,
    ScorecardsService,
  ],
  exports: [CandidateLock, InterviewsRepository, EngineService],
})
export class InterviewsModule {
  constructor(channels: Channels, engine: EngineChannel) {
    channels.add(engine);
  }
}
