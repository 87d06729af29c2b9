import { Module, type DynamicModule } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Config } from './base/config/config.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { SignInMetrics } from './sign-in/log/sign-in.metrics.js';
import { AtsModule } from './ats/ats.module.js';
import { CandidatesModule, CandidateTitlesModule } from './candidates/candidates.module.js';
import { ConfigModule } from './base/config/config.module.js';
import { DatabaseModule } from './base/database/database.module.js';
import { DirectoryConsequencesModule, DirectorySyncModule } from './directory-sync/directory-sync.module.js';
import { EventsModule } from './events/events.module.js';
import { ForwardingModule } from './forwarding/forwarding.module.js';
import { HistoryModule } from './history/history.module.js';
import { InterviewsModule } from './interviews/interviews.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { LookupModule, RecordNamesModule } from './lookup/lookup.module.js';
import { Metrics } from './operations/metrics.js';
import { OperationsModule } from './operations/operations.module.js';
import { SandboxMeetingModule } from './operations/sandbox-meeting.module.js';
import { SeatsModule } from './seats/seats.module.js';
import { SurfacesModule } from './surfaces/surfaces.module.js';
import { TasksModule } from './tasks/tasks.module.js';
import { TenantsModule } from './tenants/tenants.module.js';
import { UsersModule } from './users/users.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/**
 * The rooms. The SCIM door is named first: routes are tried in the order in which they are made known, and it is the
 * one that IdPs knock at ten thousand times in a first sync.
 */
@Module({})
export class AppModule {
  constructor(metrics: Metrics, signIns: SignInMetrics) {
    metrics.add(signIns);
  }

  static with(config: Config, dataSource: DataSource): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.with(dataSource),
        DirectorySyncModule,
        DirectoryConsequencesModule,
        UsersModule,
        CandidatesModule,
        CandidateTitlesModule,
        JobsModule,
        InterviewsModule,
        SignInModule,
        SeatsModule,
        ForwardingModule,
        TenantsModule,
        TasksModule,
        EventsModule,
        WebhooksModule,
        AtsModule,
        LookupModule,
        RecordNamesModule,
        HistoryModule,
        SurfacesModule,
        OperationsModule,
        SandboxMeetingModule,
      ],
    };
  }
}
