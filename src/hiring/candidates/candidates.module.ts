import { Global, Module } from '@nestjs/common';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { TitleFollowers } from '../jobs/jobs.service.js';
import { CandidatesController } from './candidates.controller.js';
import { CandidatesRepository } from './candidates.repository.js';
import { CandidatesService } from './candidates.service.js';
import { OpeningFollowers } from './opening-followers.js';
import { SyncedCandidates } from './synced-candidates.js';

/** Provides the port of `jobs`; global, because `jobs` does not know the candidates. */
@Global()
@Module({
  imports: [JobsModule, TasksModule],
  providers: [{ provide: TitleFollowers, useClass: OpeningFollowers }],
  exports: [TitleFollowers],
})
export class CandidateTitlesModule {}

@Module({
  imports: [JobsModule],
  controllers: [CandidatesController],
  providers: [CandidatesService, CandidatesRepository, SyncedCandidates],
  exports: [CandidatesRepository, CandidatesService, SyncedCandidates],
})
export class CandidatesModule {}
