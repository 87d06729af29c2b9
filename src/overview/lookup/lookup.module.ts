import { Global, Module } from '@nestjs/common';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { CandidatesModule } from '../../hiring/candidates/candidates.module.js';
import { InterviewsModule } from '../../hiring/interviews/interviews.module.js';
import { JobsModule } from '../../hiring/jobs/jobs.module.js';
import { AtsConnectionsModule } from '../../integrations/ats/connections/connections.module.js';
import { RecordNames } from '../../integrations/webhooks/messages.service.js';
import { NamesOfRecords, ResolveController } from './resolve.controller.js';

/** Provides the port of `webhooks`; global, because `webhooks` imports neither candidates nor job openings. */
@Global()
@Module({
  imports: [CandidatesModule, InterviewsModule, JobsModule, AtsConnectionsModule],
  providers: [{ provide: RecordNames, useClass: NamesOfRecords }],
  exports: [RecordNames],
})
export class RecordNamesModule {}

/** The module of `resolve`. */
@Module({ imports: [UsersModule, CandidatesModule, JobsModule], controllers: [ResolveController] })
export class LookupModule {}
