import { Module, type DynamicModule } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Config } from './base/config/config.js';
import { SignInModule } from './auth/sign-in/sign-in.module.js';
import { SignInMetrics } from './auth/sign-in/log/sign-in.metrics.js';
import { AtsModule } from './integrations/ats/ats.module.js';
import { CandidatesModule, CandidateTitlesModule } from './hiring/candidates/candidates.module.js';
import { ConfigModule } from './base/config/config.module.js';
import { DatabaseModule } from './base/database/database.module.js';
import { DirectoryConsequencesModule, DirectorySyncModule } from './directory-sync/routes/directory-sync.module.js';
import { EventsModule } from './engine/events/events.module.js';
import { ForwardingModule } from './forwarding/forwarding.module.js';
import { HistoryModule } from './overview/history/history.module.js';
import { InterviewsModule } from './hiring/interviews/interviews.module.js';
import { JobsModule } from './hiring/jobs/jobs.module.js';
import { LookupModule, RecordNamesModule } from './overview/lookup/lookup.module.js';
import { Metrics } from './operations/metrics.js';
import { OperationsModule } from './operations/operations.module.js';
import { SandboxMeetingModule } from './operations/sandbox-meeting.module.js';
import { SeatsModule } from './seats/seats.module.js';
import { SurfacesModule } from './operations/surfaces/surfaces.module.js';
import { TasksModule } from './engine/work/tasks.module.js';
import { TenantsModule } from './tenancy/tenants/tenants.module.js';
import { UsersModule } from './directory-sync/users/users.module.js';
import { WebhooksModule } from './integrations/webhooks/webhooks.module.js';

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
