import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import type { Clock } from '../../src/base/clock.js';
import type { Config } from '../../src/base/config/config.js';
import { ConfigModule } from '../../src/base/config/config.module.js';
import { loadConfig } from '../../src/base/config/load-config.js';
import type { SqlRunner } from '../../src/base/database/database.js';
import { DatabaseModule } from '../../src/base/database/database.module.js';
import { tuneServer } from '../../src/base/http/server.js';
import { Logger, NestLogger } from '../../src/base/log/logger.js';
import { ConsoleSessionsModule } from '../../src/console/access/console-sessions.module.js';
import { ClientsModule } from '../../src/directory-sync/clients/clients.module.js';
import { DirectoriesModule } from '../../src/directory-sync/directories/directories.module.js';
import { DirectoryContent, DirectoryPeople } from '../../src/directory-sync/directories/directory-people.js';
import { UserAnswersModule } from '../../src/directory-sync/users/answers/user-answers.module.js';
import { DirectoryContentRepository } from '../../src/directory-sync/users/groups/directory-content.repository.js';
import { EventsModule } from '../../src/engine/events/events.module.js';
import { OperationsModule } from '../../src/operations/operations.module.js';
import { setupHttp } from '../../src/operations/setup-http.js';
import { SurfacesModule } from '../../src/operations/surfaces/surfaces.module.js';
import { TenantsModule } from '../../src/tenancy/tenants/tenants.module.js';
import type { TestDatabase } from './database.js';

/** Records what the administration asks of the rooms that know users. */
export class Asked extends DirectoryPeople {
  readonly calls: string[] = [];
  async release(_db: SqlRunner, _tenantId: string, directoryId: string): Promise<void> {
    this.calls.push(`release ${directoryId}`);
  }
  async liveNeed() {
    return { needed: 0, free: null, missing: 0, administrators: 0 };
  }
  async administratorsLost() {
    return 0;
  }
  async stateChanged(_db: SqlRunner, _tenantId: string, directoryId: string, state: string): Promise<void> {
    this.calls.push(`state ${directoryId} ${state}`);
  }
  async ruleChanged(_db: SqlRunner, _tenantId: string, directoryId: string): Promise<void> {
    this.calls.push(`rules ${directoryId}`);
  }
}

/** An application of some rooms over HTTP. */
export interface SmallApp {
  url: string;
  config: Config;
  asked: Asked;
  app: NestExpressApplication;
  /** What was logged. */
  lines: string[];
  dataDir: string;
  close(): Promise<void>;
}

/** What a small application has beside the administration of tenants and directories. */
export interface SmallAppParts {
  database: TestDatabase;
  env: Record<string, string>;
  modules?: Type[];
  controllers?: Type[];
  clock?: Clock;
  /** Runs before the first route is made. */
  setUp?: (app: NestExpressApplication) => void;
}

/** Starts the administration of tenants and directories without SCIM, seats and delivery, on a port of its own. */
export async function smallApp(parts: SmallAppParts): Promise<SmallApp> {
  const { database, env, modules = [], controllers = [], clock } = parts;
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-test-'));
  const config = loadConfig({ DATA_DIR: dataDir, RATE_LIMIT: 'off', PORT: '0', ...env });
  const lines: string[] = [];
  const logger = new Logger(config.logLevel, { write: (line) => void lines.push(line) });
  const asked = new Asked();

  @Global()
  @Module({
    providers: [
      { provide: DirectoryContent, useClass: DirectoryContentRepository },
      { provide: DirectoryPeople, useValue: asked },
    ],
    exports: [DirectoryContent, DirectoryPeople],
  })
  class PeopleModule {}

  @Module({})
  class AppModule {
    static root(): DynamicModule {
      const ground = [ConfigModule.with(config, logger, clock), DatabaseModule.with(database.dataSource)];
      const rooms = [
        EventsModule,
        SurfacesModule,
        PeopleModule,
        UserAnswersModule,
        ConsoleSessionsModule,
        TenantsModule,
        DirectoriesModule,
        ClientsModule,
        OperationsModule,
      ];
      return { module: AppModule, imports: [...ground, ...rooms, ...modules], controllers };
    }
  }

  const compiled = await Test.createTestingModule({ imports: [AppModule.root()] })
    .setLogger(new NestLogger(logger))
    .compile();
  const app = compiled.createNestApplication<NestExpressApplication>({ bodyParser: false });
  setupHttp(app);
  parts.setUp?.(app);
  await app.init();
  tuneServer(app.getHttpServer());
  await app.listen(0, '127.0.0.1');
  const close = async (): Promise<void> => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url: await app.getUrl(), config, asked, app, lines, dataDir, close };
}
