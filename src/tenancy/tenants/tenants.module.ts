import { Global, Module } from '@nestjs/common';
import { Idempotency } from '../idempotency/idempotency-keys.js';
import { FailedTries, RateLimiter } from '../../base/http/rate-limit.js';
import { Administrators } from './administrators.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { AuditChain } from './audit/audit-chain.js';
import { AuditController } from './audit.controller.js';
import { AuditReader } from './audit/audit.reader.js';
import { AuditService } from './audit/audit.service.js';
import { InstallationAudit } from './audit/installation-audit.js';
import { InstallationAuditController } from './installation-audit.controller.js';
import { ApiKeyStore } from './api-key.store.js';
import { ApiKeyRefusals } from './api-key-refusals.js';
import { ApiKeyUses } from './api-key-uses.js';
import { MeController } from './me.controller.js';
import { OwnTenantController } from './own-tenant.controller.js';
import { RolesController } from './roles.controller.js';
import { RolesRepository } from './roles.repository.js';
import { RolesService } from './roles.service.js';
import { StorageController, TenantStorageController } from './storage.controller.js';
import { StorageMeasuring } from './storage/storage-measuring.js';
import { StorageMetrics } from './storage/storage.metrics.js';
import { StorageRepository } from './storage/storage.repository.js';
import { StorageService } from './storage/storage.service.js';
import { TenantStorage } from './storage/tenant-storage.js';
import { TenantAddresses } from './tenant-addresses.js';
import { TenantStore } from './tenant.store.js';
import { TenantsController } from './tenants.controller.js';
import { TenantChanges } from './tenant-changes.js';
import { TenantsRepository } from './tenants.repository.js';
import { TenantsService } from './tenants.service.js';

/**
 * Tenants and their API keys. Global, because the routes of every room use its guards. A global module of `directory-sync`
 * provides `KnownUsers`.
 */
@Global()
@Module({
  imports: [LedgerModule],
  controllers: [
    MeController,
    ApiKeysController,
    RolesController,
    AuditController,
    InstallationAuditController,
    OwnTenantController,
    TenantsController,
    StorageController,
    TenantStorageController,
  ],
  providers: [
    RateLimiter,
    FailedTries,
    Idempotency,
    ApiKeyStore,
    ApiKeyUses,
    ApiKeyRefusals,
    TenantStore,
    TenantAddresses,
    TenantsRepository,
    TenantsService,
    TenantChanges,
    ApiKeysRepository,
    ApiKeysService,
    RolesRepository,
    RolesService,
    AuditService,
    AuditReader,
    InstallationAudit,
    AuditChain,
    Administrators,
    StorageMeasuring,
    StorageMetrics,
    StorageRepository,
    StorageService,
    TenantStorage,
  ],
  exports: [
    RateLimiter,
    FailedTries,
    Idempotency,
    ApiKeyStore,
    TenantStore,
    TenantAddresses,
    TenantsRepository,
    TenantsService,
    ApiKeysService,
    AuditService,
    InstallationAudit,
    Administrators,
    StorageMetrics,
    TenantStorage,
  ],
})
export class TenantsModule {}
