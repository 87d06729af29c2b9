import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConnectionsModule } from '../../../src/connections/connections.module.js';
import { DomainsModule } from '../../../src/connections/domains/domains.module.js';
import { Clock } from '../../../src/base/clock.js';
import { ConfigModule } from '../../../src/base/config/config.module.js';
import { loadConfig } from '../../../src/base/config/load-config.js';
import type { Database } from '../../../src/base/database/database.js';
import { DatabaseModule } from '../../../src/base/database/database.module.js';
import { tuneServer } from '../../../src/base/http/server.js';
import { Logger, NestLogger } from '../../../src/base/log/logger.js';
import { DirectoriesModule } from '../../../src/directories/directories.module.js';
import { DirectoryPeople } from '../../../src/directories/directory-people.js';
import { RoleReview } from '../../../src/directories/role-review.js';
import { OperationsModule } from '../../../src/operations/operations.module.js';
import { setupHttp } from '../../../src/operations/setup-http.js';
import { EventsModule } from '../../../src/events/events.module.js';
import { SurfacesModule } from '../../../src/surfaces/surfaces.module.js';
import { TenantsModule } from '../../../src/tenants/tenants.module.js';
import { Asked } from '../../support/admin-app.js';
import { testDatabase } from '../../support/database.js';
import { client, type Client } from '../../support/http.js';

/** The machine's time, moved. */
export class MovedClock extends Clock {
  private movedMs = 0;
  now(): Date {
    return new Date(Date.now() + this.movedMs);
  }
  monotonic(): number {
    return performance.now() + this.movedMs;
  }
  move(days: number): void {
    this.movedMs += days * 86_400_000;
  }
}

export interface AdminTenant {
  id: string;
  key: string;
  api: Client;
}

/** The administration of sign-in over HTTP, with tenants and directories, on a database of its own. */
export interface AuthAdmin {
  url: string;
  operatorToken: string;
  operator: Client;
  tenant: AdminTenant;
  db: Database;
  app: NestExpressApplication;
  clock: MovedClock;
  /** What was logged. */
  lines: string[];
  newTenant(): Promise<AdminTenant>;
  newDirectory(tenant: AdminTenant): Promise<string>;
  close(): Promise<void>;
}

export async function authAdmin(env: Record<string, string> = {}): Promise<AuthAdmin> {
  const database = await testDatabase(6);
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-auth-'));
  const config = loadConfig({
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'trace',
    BASE_URL: 'https://bridge.example.com',
    APP_URL: 'https://app.example.com',
    ALLOW_PRIVATE_DESTINATIONS: 'on',
    ...env,
  });
  const lines: string[] = [];
  const logger = new Logger(config.logLevel, { write: (line) => void lines.push(line) });
  const clock = new MovedClock();
  const asked = new Asked();

  @Global()
  @Module({
    providers: [
      { provide: DirectoryPeople, useValue: asked },
      { provide: RoleReview, useValue: asked },
    ],
    exports: [DirectoryPeople, RoleReview],
  })
  class PeopleModule {}

  @Module({})
  class AppModule {
    static root(): DynamicModule {
      return {
        module: AppModule,
        imports: [
          ConfigModule.with(config, logger, clock),
          DatabaseModule.with(database.dataSource),
          EventsModule,
          SurfacesModule,
          PeopleModule,
          TenantsModule,
          DirectoriesModule,
          OperationsModule,
          DomainsModule,
          ConnectionsModule,
        ],
      };
    }
  }

  const compiled = await Test.createTestingModule({ imports: [AppModule.root()] })
    .setLogger(new NestLogger(logger))
    .compile();
  const app = compiled.createNestApplication<NestExpressApplication>({ bodyParser: false });
  setupHttp(app);
  await app.init();
  tuneServer(app.getHttpServer());
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const base = `${url}/api/v1`;
  const operator = client(base, config.operatorToken);

  const newTenant = async (): Promise<AdminTenant> => {
    const made = await operator.post('/tenants', { name: 'Tenant', api_key: { name: 'all' } });
    if (made.status !== 201) throw new Error(`no tenant: ${made.status} ${made.text}`);
    const { id, api_key: key } = made.body as { id: string; api_key: string };
    return { id, key, api: client(base, key) };
  };
  return {
    url,
    operatorToken: config.operatorToken,
    operator,
    tenant: await newTenant(),
    db: database.owner,
    app,
    clock,
    lines,
    newTenant,
    newDirectory: async ({ api }) => (await api.post('/directories', { name: 'D', guard: 'off' })).body.id as string,
    close: async () => {
      await app.close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
