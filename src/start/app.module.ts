import { Module, type DynamicModule } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { SignInLog } from '../auth/sign-in/log/sign-in-log.js';
import { ConfigModule } from '../base/config/config.module.js';
import type { Config } from '../base/config/config.js';
import { DatabaseModule } from '../base/database/database.module.js';
import { ConsoleModule } from '../console/console.module.js';
import { DirectorySyncModule } from '../directory-sync/directory-sync.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { ForwardingModule } from '../forwarding/forwarding.module.js';
import { HiringModule } from '../hiring/hiring.module.js';
import { IntegrationsModule } from '../integrations/integrations.module.js';
import { Metrics } from '../operations/metrics.js';
import { OperationsModule } from '../operations/operations.module.js';
import { SandboxMeetingModule } from '../operations/sandbox-meeting.js';
import { OverviewModule } from '../overview/overview.module.js';
import { SeatsModule } from '../seats/seats.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';

/** One module for each house. Routes are tried in this order. */
const HOUSES = [
  DirectorySyncModule,
  HiringModule,
  AuthModule,
  SeatsModule,
  ForwardingModule,
  TenancyModule,
  EngineModule,
  IntegrationsModule,
  OverviewModule,
  ConsoleModule,
  OperationsModule,
  SandboxMeetingModule,
];

/** The whole product. */
@Module({})
export class AppModule {
  constructor(metrics: Metrics, signIns: SignInLog) {
    metrics.add(signIns);
  }

  static with(config: Config, dataSource: DataSource): DynamicModule {
    return this.over(config, DatabaseModule.with(dataSource));
  }

  /** The product without a database: a preview of the application knows its routes, and runs nothing. */
  static preview(config: Config): DynamicModule {
    return this.over(config, DatabaseModule.preview());
  }

  private static over(config: Config, database: DynamicModule): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.with(config), database, ...HOUSES] };
  }
}
