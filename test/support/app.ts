import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Application } from '../../src/start/application.js';
import { loadConfig } from '../../src/base/config/load-config.js';
import type { Config } from '../../src/base/config/config.js';
import { Database } from '../../src/base/database/database.js';
import { AtsCallOptions } from '../../src/integrations/ats/calls/connection-api.js';
import { DirectoriesService } from '../../src/directory-sync/directories/directories.service.js';
import type { CreateDirectory } from '../../src/directory-sync/directories/directories.dto.js';
import { systemActor } from '../../src/tenancy/identity/person.js';
import { TenantsService } from '../../src/tenancy/tenants/tenants.service.js';
import { atEnd } from './at-end.js';
import { copyOfTemplate, ownerOf } from './database.js';
import { StatementRecorder } from './statements.js';

/** A tenant with an API key that holds every scope, and one directory with its token. */
export interface TestTenant {
  tenantId: string;
  apiKey: string;
  directoryId: string;
  scimToken: string;
}

/** The whole service on a database of its own, listening on a free port. */
export interface TestApp {
  url: string;
  app: Application;
  /** With the rights of the owner; the application itself runs as the service's role. */
  db: Database;
  databaseUrl: string;
  dataDir: string;
  operatorToken: string;
  /** Made at the start. */
  tenant: TestTenant;
  /** Makes another tenant. */
  newTenant(directory?: Partial<CreateDirectory>): Promise<TestTenant>;
  /** Makes another directory of a tenant. */
  newDirectory(tenantId: string, directory?: Partial<CreateDirectory>): Promise<{ id: string; token: string }>;
  close(): Promise<void>;
  /** @throws {Error} with the statements that have no tenant and are not on the list */
  checkStatements(): void;
}

/**
 * Starts the service; `env` adds to or replaces its settings (with PORT it listens there, else anywhere). With `beside`, as one more process on the database of a
 * service that runs already; it must be closed first. `prepare` names statements for its database before it starts.
 */
export async function startApp(
  env: Record<string, string> = {},
  beside?: TestApp,
  { prepare = () => [] }: { prepare?: (database: string) => string[] } = {},
): Promise<TestApp> {
  const databaseUrl = beside?.databaseUrl ?? (await copyOfTemplate());
  const owner = await ownerOf(databaseUrl);
  for (const sql of beside === undefined ? prepare(nameOf(databaseUrl)) : []) await owner.execute(sql);
  const dataDir = beside?.dataDir ?? mkdtempSync(path.join(os.tmpdir(), 'talent-bridge-'));
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'silent',
    SANDBOX: 'off',
    ALLOW_PRIVATE_DESTINATIONS: 'on',
    ...env,
  });
  const started = await listening(config, databaseUrl, Number(env['PORT'] ?? 0));
  const { url } = started;
  // A spec file is never unloaded, and its variables keep what this returns: a closed service must not hang on it.
  let running: Running | null = { ...started, owner };
  const parts = (): Running => {
    if (running === null) throw new Error('this service is closed');
    return running;
  };
  const by = (tenantId: string) => ({ tenantId, actor: systemActor('test'), requestId: null });

  const newDirectory = async (tenantId: string, directory: Partial<CreateDirectory> = {}) => {
    const made = await parts()
      .app.nest.get(DirectoriesService)
      .create(by(tenantId), { name: 'Directory', guard: 'off', ...directory });
    return { id: made.id, token: made.scim_token };
  };
  const newTenant = async (directory: Partial<CreateDirectory> = {}): Promise<TestTenant> => {
    const tenant = await parts()
      .app.nest.get(TenantsService)
      .create({ name: 'Tenant', api_key: { name: 'all' } }, { actor: systemActor('test'), requestId: null });
    const { id, token } = await newDirectory(tenant.id, directory);
    return { tenantId: tenant.id, apiKey: tenant.api_key!, directoryId: id, scimToken: token };
  };
  return {
    url,
    get app() {
      return parts().app;
    },
    get db() {
      return parts().owner;
    },
    databaseUrl,
    dataDir,
    operatorToken: config.operatorToken,
    tenant: beside?.tenant ?? (await newTenant()),
    newTenant,
    newDirectory,
    close: async () => {
      const ended = parts();
      running = null;
      await ended.app.stop(0);
      await ended.owner.dataSource.destroy();
      if (beside === undefined) rmSync(dataDir, { recursive: true, force: true });
      ended.statements.check();
    },
    checkStatements: () => parts().statements.check(),
  };
}

interface Running {
  app: Application;
  owner: Database;
  statements: StatementRecorder;
}

/** Starts the application, which listens on a port; 0: a free one. */
async function listening(config: Config, databaseUrl: string, port: number) {
  const app = await Application.create(config, databaseUrl);
  // Simulators of ATSs take calls at any pace; at that of Greenhouse, a test would wait for each call after the tenth.
  app.nest.get(AtsCallOptions, { strict: false }).paceFactor = 1_000;
  const statements = new StatementRecorder(app.nest.get(Database));
  const server = await app.listen(port).catch(async (error: unknown) => {
    await app.stop();
    throw error;
  });
  app.startWork();
  return { app, statements, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let shared: Promise<TestApp> | undefined;

/**
 * Returns the service with the default settings that the files of a worker share, with a tenant of the file's own. A file
 * that counts rows of all tenants, fills tables, replaces parts of the service or ends it starts one of its own.
 */
export async function sharedApp(): Promise<TestApp> {
  if (shared === undefined) {
    shared = startApp();
    atEnd(async () => (await shared!).close());
  }
  const app = await shared;
  return { ...app, tenant: await app.newTenant(), close: async () => app.checkStatements() };
}

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}
