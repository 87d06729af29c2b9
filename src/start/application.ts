import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiscoveryService, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DataSource } from 'typeorm';
import type { Config } from '../base/config/config.js';
import { Database } from '../base/database/database.js';
import { PROBE } from '../base/http/request.js';
import { BridgeAdapter, tuneServer } from '../base/http/server.js';
import { Logger, NestLogger } from '../base/log/logger.js';
import { Background } from '../base/loop.js';
import { instancesOf } from '../base/work/work.js';
import { DeliveryWorker } from '../engine/delivery/pump/delivery.worker.js';
import { WorkEngine } from '../engine/work/work.engine.js';
import { PlatformService } from '../forwarding/platform/platform.service.js';
import { InboundDoor, isInboundPath } from '../integrations/ats/inbound/inbound-door.js';
import { setupDocs } from '../operations/docs/docs.js';
import { Readiness } from '../operations/readiness.js';
import { MetricsServer } from '../operations/metrics-server.js';
import { RestoreWatch } from '../operations/restore/restore-watch.js';
import { SealedSecrets } from '../operations/sealed-secrets.js';
import { setupHttp } from '../operations/setup-http.js';
import { AppModule } from './app.module.js';
import { createDataSource } from './data-source.js';
import { demandRole, prepareDatabase, type Preparation } from './database-access.js';

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
    preparation: Preparation = {},
  ): Promise<Application> {
    const access = await prepareDatabase(databaseUrl, ownerUrl, preparation);
    const dataSource = createDataSource(databaseUrl, config.databasePool, access.role);
    await dataSource.initialize();
    await demandRole(dataSource, access.role);
    const nest = await NestFactory.create<NestExpressApplication>(
      AppModule.with(config, dataSource),
      new BridgeAdapter(),
      {
        bodyParser: false,
        bufferLogs: true,
        abortOnError: false,
      },
    );
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
    // Before anything is forwarded: a restored database must not speak.
    const restored = await nest.get(RestoreWatch).begin();
    const secrets = await nest.get(SealedSecrets).trouble();
    const unused = await nest.get(PlatformService).applyFirst();
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
    for (const loop of this.loops()) if (loop.isEverywhere) loop.start();
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
    this.nest.get(DeliveryWorker).start();
    this.nest.get(WorkEngine).start();
    for (const loop of this.loops()) if (!loop.isEverywhere) loop.start();
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
    this.nest.get(Readiness).draining = true;
    const server = this.nest.getHttpServer();
    if (server.listening) await drain(server, 25_000, quietMs);
    const loops = this.loops();
    const workers = [
      this.nest.get(DeliveryWorker),
      this.nest.get(WorkEngine),
      ...loops.filter((loop) => !loop.isEverywhere),
    ];
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const loop of loops) if (loop.isEverywhere) await loop.stop();
    await this.nest.get(MetricsServer).stop();
    await this.nest.close();
    await this.nest.get(Database).close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    logger.info('stopped', { ms: Math.round(performance.now() - began) });
    logger.flush();
  }

  private loops(): Background[] {
    return instancesOf(this.nest.get(DiscoveryService, { strict: false }), Background);
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
