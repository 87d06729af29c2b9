import { Module } from '@nestjs/common';
import { DirectoriesModule } from '../directory-sync/directories/directories.module.js';
import { HeldService } from '../directory-sync/users/held/held.service.js';
import { UsersModule } from '../directory-sync/users/users.module.js';
import { DeliveryModule } from '../engine/delivery/delivery.module.js';
import { DeliveryMetrics } from '../engine/delivery/pump/delivery.metrics.js';
import { TasksModule } from '../engine/work/tasks.module.js';
import { WorkEngine } from '../engine/work/work.engine.js';
import { RequestRows } from '../overview/requests/request-rows.js';
import { RequestsModule } from '../overview/requests/requests.module.js';
import { StorageService } from '../tenancy/tenants/storage/storage.service.js';
import { PlatformDocsController } from './docs/platform-docs.controller.js';
import { SiteController } from './docs/site/site.controller.js';
import { InstallationController } from './installation/installation.controller.js';
import { ProcessSigns, ProcessesRepository } from './installation/installation.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';
import { KeyRotationController, OperationsController } from './operations.controller.js';
import { Readiness } from './readiness.js';
import { RequestLog } from './request-log.js';
import { RestoreWatch } from './restore/restore-watch.js';
import { ExpiryNotice, Retention } from './retention.js';
import { SealedSecrets } from './sealed-secrets.js';
import { Statistics } from './statistics.js';
import { SurfacesModule } from './surfaces/surfaces.module.js';

@Module({
  imports: [DeliveryModule, TasksModule, UsersModule, DirectoriesModule, RequestsModule, SurfacesModule],
  controllers: [
    OperationsController,
    PlatformDocsController,
    SiteController,
    KeyRotationController,
    InstallationController,
  ],
  providers: [
    ExpiryNotice,
    RestoreWatch,
    Readiness,
    Metrics,
    MetricsServer,
    ProcessesRepository,
    ProcessSigns,
    RequestLog,
    Retention,
    SealedSecrets,
    Statistics,
  ],
  exports: [RestoreWatch, Readiness, Metrics, MetricsServer, RequestLog, SealedSecrets],
})
export class OperationsModule {
  constructor(
    metrics: Metrics,
    delivery: DeliveryMetrics,
    held: HeldService,
    storage: StorageService,
    rows: RequestRows,
    work: WorkEngine,
  ) {
    metrics.add(delivery);
    metrics.add(held);
    metrics.add(storage);
    metrics.add(rows);
    metrics.add(work);
  }
}
