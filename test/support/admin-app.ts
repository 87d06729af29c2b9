import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Database, SqlRunner } from '../../src/base/database/database.js';
import { DatabaseModule } from '../../src/base/database/database.module.js';
import { ConfigModule } from '../../src/base/config/config.module.js';
import { loadConfig } from '../../src/base/config/load-config.js';
import { tuneServer } from '../../src/base/http/server.js';
import { Logger, NestLogger } from '../../src/base/log/logger.js';
import { DirectoriesModule } from '../../src/directories/directories.module.js';
import { DirectoryPeople } from '../../src/directories/directory-people.js';
import { RoleReview } from '../../src/directories/role-review.js';
import { EventsModule } from '../../src/events/events.module.js';
import { setupDocs } from '../../src/operations/docs/docs.js';
import { OperationsModule } from '../../src/operations/operations.module.js';
import { setupHttp } from '../../src/operations/setup-http.js';
import { SurfacesModule } from '../../src/surfaces/surfaces.module.js';
import { TenantsModule } from '../../src/tenants/tenants.module.js';
import { testDatabase, type TestDatabase } from './database.js';
import type { Answer } from './http.js';

/** What the administration asked of the rooms that know people. */
export class Asked extends DirectoryPeople {
  readonly calls: string[] = [];
  async release(_db: SqlRunner, _tenantId: string, directoryId: string): Promise<void> {
    this.calls.push(`release ${directoryId}`);
  }
  async seatsNeeded() {
    return { needed: 0, free: null, missing: 0 };
  }
  async stateChanged(_db: SqlRunner, _tenantId: string, directoryId: string, state: string): Promise<void> {
    this.calls.push(`state ${directoryId} ${state}`);
  }
  async ruleChanged(_db: SqlRunner, _tenantId: string, directoryId: string): Promise<void> {
    this.calls.push(`rules ${directoryId}`);
  }
}

export interface AdminApp {
  baseUrl: string;
  operatorToken: string;
  tenant: { id: string; api_key: string };
  asked: Asked;
  /** With the rights of the owner; the application itself runs as the service's role. */
  db: Database;
  app: NestExpressApplication;
  lines: string[];
  dataDir: string;
  call(method: string, url: string, options?: CallOptions): Promise<Answer>;
  newTenant(): Promise<{ id: string; api_key: string }>;
  close(): Promise<void>;
}

export interface CallOptions {
  token?: string | null;
  body?: unknown;
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

/** The administration alone, over HTTP and on a database of its own: without SCIM, seats and delivery. */
export async function adminApp(
  env: Record<string, string> = {},
  more: Type[] = [],
  shared?: TestDatabase,
): Promise<AdminApp> {
  const database = shared ?? (await testDatabase());
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-test-'));
  const config = loadConfig({ DATA_DIR: dataDir, RATE_LIMIT: 'off', PORT: '0', ...env });
  const lines: string[] = [];
  const logger = new Logger(config.logLevel, { write: (line) => void lines.push(line) });
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
          ConfigModule.with(config, logger),
          DatabaseModule.with(database.dataSource),
          EventsModule,
          SurfacesModule,
          PeopleModule,
          TenantsModule,
          DirectoriesModule,
          OperationsModule,
        ],
        controllers: more,
      };
    }
  }

  const compiled = await Test.createTestingModule({ imports: [AppModule.root()] })
    .setLogger(new NestLogger(logger))
    .compile();
  const app = compiled.createNestApplication<NestExpressApplication>({ bodyParser: false });
  setupHttp(app);
  setupDocs(app);
  await app.init();
  tuneServer(app.getHttpServer());
  await app.listen(0, '127.0.0.1');
  const baseUrl = await app.getUrl();

  const call = async (method: string, url: string, options: CallOptions = {}): Promise<Answer> => {
    const headers: Record<string, string> = { ...options.headers };
    const token = options.token === undefined ? made.tenant.api_key : options.token;
    if (token !== null) headers['authorization'] = `Bearer ${token}`;
    let body = options.raw;
    if (options.body !== undefined) {
      body = JSON.stringify(options.body);
      headers['content-type'] ??= 'application/json';
    }
    // A Buffer is a body for fetch, whatever the two libraries' types say of each other.
    const res = await fetch(baseUrl + url, { method, headers, body: body as never, redirect: 'manual' });
    const text = await res.text();
    const json = /[/+]json/.test(res.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : undefined;
    return { status: res.status, headers: res.headers, body: json, text };
  };
  const newTenant = async (): Promise<{ id: string; api_key: string }> => {
    const res = await call('POST', '/api/v1/tenants', {
      token: config.operatorToken,
      body: { name: 'Test', api_key: { name: 'test' } },
    });
    if (res.status !== 201) throw new Error(`no tenant: ${res.status} ${res.text}`);
    return res.body as { id: string; api_key: string };
  };
  const made = { tenant: { id: '', api_key: '' } };
  made.tenant = await newTenant();
  return {
    baseUrl,
    operatorToken: config.operatorToken,
    tenant: made.tenant,
    asked,
    db: database.owner,
    app,
    lines,
    dataDir,
    call,
    newTenant,
    close: async () => {
      await app.close();
      if (shared === undefined) await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
