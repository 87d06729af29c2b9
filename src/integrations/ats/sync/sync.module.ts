import { Module } from '@nestjs/common';
import { TasksModule } from '../../../engine/work/tasks.module.js';
import { CandidatesModule } from '../../../hiring/candidates/candidates.module.js';
import { JobsModule } from '../../../hiring/jobs/jobs.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsRecordsModule } from '../records/records.module.js';
import { AtsSync } from './ats-sync.js';
import { SyncOptions } from './pass-ground.js';
import { PassProgress } from './pass-progress.js';
import { RunsController } from './runs.controller.js';
import { SyncPass } from './sync-pass.js';
import { SyncTurn } from './sync-turn.js';
import { SyncsRepository } from './syncs.repository.js';

@Module({
  imports: [AtsCallsModule, AtsConnectionsModule, AtsRecordsModule, CandidatesModule, JobsModule, TasksModule],
  controllers: [RunsController],
  providers: [
    AtsSync,
    SyncTurn,
    PassProgress,
    { provide: SyncOptions, useFactory: () => new SyncOptions() },
    SyncPass,
    SyncsRepository,
  ],
  exports: [AtsSync, PassProgress, SyncOptions],
})
export class AtsSyncModule {}
