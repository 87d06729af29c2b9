import { Module } from '@nestjs/common';
import { TasksModule } from '../../../engine/work/tasks.module.js';
import { CandidatesModule } from '../../../hiring/candidates/candidates.module.js';
import { JobsModule } from '../../../hiring/jobs/jobs.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsRecordsModule } from '../records/records.module.js';
import { AtsSync } from './ats-sync.js';
import { SyncOptions } from './pass-ground.js';
import { RunsRepository, PassProgress } from './pass-progress.js';
import { RunsController } from './runs.controller.js';
import { PageWrites, SyncPass } from './sync-pass.js';
import { MissingWebhooks, SyncTurn, WebhookUpkeep } from './sync-turn.js';
import { SyncsRepository } from './syncs.repository.js';

/** What is read from the ATS by the clock. */
@Module({
  imports: [AtsCallsModule, AtsConnectionsModule, AtsRecordsModule, CandidatesModule, JobsModule, TasksModule],
  controllers: [RunsController],
  providers: [
    AtsSync,
    MissingWebhooks,
    RunsRepository,
    { provide: SyncOptions, useFactory: () => new SyncOptions() },
    PageWrites,
    PassProgress,
    SyncPass,
    SyncTurn,
    SyncsRepository,
    WebhookUpkeep,
  ],
  exports: [AtsSync, RunsRepository, SyncOptions],
})
export class AtsSyncModule {}
