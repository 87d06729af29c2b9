import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DataSource } from 'typeorm';
import { EventsWorker } from '../integrations/ats/inbound/apply/events-worker.js';
import { SyncWorker } from '../integrations/ats/sync/sync-worker.js';
import { AppModule } from './app.module.js';
import type { Config } from '../base/config/config.js';
import { Database } from '../base/database/database.js';
import { Logger, NestLogger } from '../base/log/logger.js';
import { MetadataRefresh } from '../auth/connections/metadata-refresh.js';
import { DomainChecks } from '../auth/connections/domains/domain-checks.js';
import { KeyRenewal } from '../auth/connections/keys/service-keys.js';

import { PROBE } from '../base/http/request-id.js';
import { BridgeAdapter } from '../base/http/bridge-adapter.js';
import { tuneServer } from '../base/http/server.js';
import { createDataSource } from './data-source.js';
import { demandRole, prepareDatabase } from './database-access.js';
import { DayCloser } from '../tenancy/ledger/day-closer.js';
import { DeletedDirectories } from '../directory-sync/routes/role-tasks/deleted-directories.js';
import { AcceptedChanges } from '../forwarding/statistics/accepted-changes.js';
import { FirstPlatform } from '../forwarding/platform/first-platform.js';
import { DeliveryWorker } from '../engine/delivery/pump/delivery.worker.js';
import { TasksRunner } from '../engine/work/tasks.runner.js';
import { MetricsServer } from '../operations/metrics-server.js';
import { setupDocs } from '../operations/docs/docs.js';
import { InboundDoor, isInboundPath } from '../integrations/ats/inbound/inbound-door.js';
import { GrantKeepAlive } from '../integrations/ats/marketplace/keep-alive.js';
import { ProcessSigns } from '../operations/installation/process-signs.js';
import { Retention } from '../operations/retention.js';
import { RestoreWatch } from '../operations/restore/restore-watch.js';
import { SealedSecrets } from '../operations/sealed-secrets.js';
import { Statistics } from '../operations/statistics.js';
import { Lifecycle } from '../operations/lifecycle.js';
import { setupHttp } from '../operations/setup-http.js';
import { QuietDirectories } from '../directory-sync/directories/quiet-directories.js';
import { ExpiryNotice } from '../operations/expiry-notice.js';
import { StorageMeasuring } from '../tenancy/tenants/storage/storage-measuring.js';
import { ChainSealer } from '../tenancy/ledger/chain-sealer.js';
import { PeopleUpkeep } from '../directory-sync/users/people/people-upkeep.js';

/** The service in this process: the application and its background work, started and stopped as one. */
export class Application {
  private constructor(
    readonly config: Config,
    readonly nest: NestExpressApplication,
    private readonly dataSource: DataSource,
    /** What an operator has to know about this database, in words. */
    readonly warnings: readonly string[],
  ) {}

  /**
   * Migrates the database and puts the rooms together; serves nothing yet.
   *
   * @param ownerUrl the address by which migrations and grants run; null: `databaseUrl` itself
   */
  static async create(
    config: Config,
    databaseUrl: string,
    ownerUrl: string | null = config.migrationDatabaseUrl,
  ): Promise<Application> {
    const access = await prepareDatabase(databaseUrl, ownerUrl);
    const dataSource = createDataSource(databaseUrl, config.databasePool, access.role);
    await dataSource.initialize();
    await demandRole(dataSource, access.role);
    const adapter = new BridgeAdapter();
    const nest = await NestFactory.create<NestExpressApplication>(AppModule.with(config, dataSource), adapter, {
      bodyParser: false,
      bufferLogs: true,
      abortOnError: false,
    });
    nest.useLogger(new NestLogger(nest.get(Logger)));
    if (access.asOwner !== null) {
      nest.get(Logger).warn('the service runs with the rights of the owner of its tables', { reason: access.asOwner });
    }
    if (config.unsafe.length > 0) nest.get(Logger).warn('protections lifted', { settings: config.unsafe });
    reportHealth(nest.get(Database), nest.get(Logger));
    await nest.get(Database).feed.start();
    const door = nest.get(InboundDoor);
    setupHttp(nest, { bytes: { takes: isInboundPath, admit: (req, res) => door.admit(req, res) } });
    setupDocs(nest);
    await nest.init();
    adapter.shortenWays();
    // Before anything is forwarded: a restored database must not speak.
    const restored = await nest.get(RestoreWatch).begin();
    const secrets = await nest.get(SealedSecrets).trouble();
    const unused = await nest.get(FirstPlatform).apply();
    if (unused !== null) nest.get(Logger).warn('settings unused', { detail: unused });
    const warnings = [restored, secrets?.words, unused].filter((words) => words != null);
    return new Application(config, nest, dataSource, warnings);
  }

  /** Takes requests (roles `api` and `all`; a worker serves its health and metrics by the same port). */
  async listen(port: number = this.config.port): Promise<Server> {
    const server = this.nest.getHttpServer();
    tuneServer(server);
    await this.nest.listen(port);
    await this.nest.get(MetricsServer).start();
    this.nest.get(RestoreWatch).start();
    this.nest.get(ProcessSigns).start();
    this.nest.get(Logger).info('started', {
      base_url: this.config.baseUrl,
      port: (server.address() as AddressInfo).port,
      key_ids: this.config.encryptionKeys.map(({ id }) => id),
    });
    return server;
  }

  /** Starts the background work, unless this process only answers requests. */
  startWork(): void {
    if (this.config.role === 'api') return;
    for (const worker of this.workers()) worker.start();
  }

  /**
   * Stops in the order that loses nothing: no new requests, the running ones are finished (at most 25 s), what was
   * claimed is handed back, then the database.
   *
   * @param quietMs how long no caller must have come; 0 where no caller knows the address
   */
  async stop(quietMs = QUIET_MS): Promise<void> {
    const began = performance.now();
    const logger = this.nest.get(Logger);
    logger.info('stopping');
    this.nest.get(Lifecycle).draining = true;
    const server = this.nest.getHttpServer();
    if (server.listening) await drain(server, 25_000, quietMs);
    await Promise.all(this.workers().map((worker) => worker.stop()));
    await this.nest.get(RestoreWatch).stop();
    await this.nest.get(ProcessSigns).stop();
    await this.nest.get(MetricsServer).stop();
    await this.nest.close();
    await this.nest.get(Database).close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    logger.info('stopped', { ms: Math.round(performance.now() - began) });
    logger.flush();
  }

  private workers(): { start(): void; stop(): Promise<void> }[] {
    const rooms = [
      DeliveryWorker,
      TasksRunner,
      AcceptedChanges,
      EventsWorker,
      SyncWorker,
      PeopleUpkeep,
      DeletedDirectories,
      ChainSealer,
      DayCloser,
      ExpiryNotice,
      StorageMeasuring,
      QuietDirectories,
      MetadataRefresh,
      DomainChecks,
      KeyRenewal,
      Retention,
      Statistics,
      GrantKeepAlive,
    ];
    return rooms.map((room) => this.nest.get<{ start(): void; stop(): Promise<void> }>(room));
  }
}

/** One event when the database is away or has no room, and one when that is over. */
function reportHealth({ health }: Database, logger: Logger): void {
  health.listener = (trouble, error, lastedMs) => {
    if (trouble === null) return logger.info('database back', { lasted_ms: Math.round(lastedMs) });
    const { code, message } = error as { code?: string; message?: string };
    logger.error(trouble === 'away' ? 'database away' : 'database disk full', { code, detail: message });
  };
}

/**
 * First every answer tells its caller to connect anew (to another process), until no caller comes any more: a load
 * balancer that has not looked yet still sends, and what it sends in the moment of closing would be lost. Then no
 * connection is accepted any more, what runs is finished, and what is only kept open is closed.
 */
async function drain(server: Server, patienceMs: number, quietMs: number): Promise<void> {
  const began = performance.now();
  let last = began;
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    res.setHeader('Connection', 'close');
    if (!PROBE.test(req.url ?? '')) last = performance.now();
  });
  let now = began;
  while (now - last < quietMs && now - began < FAREWELL_MS) {
    await sleep(50);
    now = performance.now();
  }
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const late = setTimeout(() => server.closeAllConnections(), patienceMs - (now - began));
  await closed;
  clearTimeout(late);
}

/** The time without a caller: all callers know by then. */
const QUIET_MS = 500;
/** At the most so long: where there is no other process to go to, callers would come for ever. */
const FAREWELL_MS = 10_000;
