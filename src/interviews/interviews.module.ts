import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates/candidates.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { CandidateLock } from './candidate-lock.js';
import { InterviewEngine, SandboxEngine } from './interview-engine.js';
import { CandidateInterviewsController, InterviewsController } from './interviews.controller.js';
import { InterviewsOfRemoved } from './interviews-of-removed.js';
import { InterviewsRepository } from './interviews.repository.js';
import { InterviewsService } from './interviews.service.js';
import { ScorecardsController } from './scorecards.controller.js';
import { ScorecardsService } from './scorecards.service.js';

/** The interviews of candidates, and their scorecards. */
@Module({
  imports: [CandidatesModule, JobsModule],
  controllers: [CandidateInterviewsController, InterviewsController, ScorecardsController],
  providers: [
    CandidateLock,
    InterviewsRepository,
    InterviewsService,
    InterviewsOfRemoved,
    ScorecardsService,
    { provide: InterviewEngine, useClass: SandboxEngine },
  ],
  exports: [CandidateLock, InterviewsRepository],
})
export class InterviewsModule {}
