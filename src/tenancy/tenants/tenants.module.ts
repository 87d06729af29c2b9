import { Global, Module } from '@nestjs/common';
import { FailedTries, RateLimiter } from '../../base/http/rate-limit.js';
import { Idempotency } from '../idempotency/idempotency-keys.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { Administrators } from './administrators.js';
import { ApiKeyStore, ApiKeyRefusals, ApiKeyUses } from './api-key.store.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuditController, InstallationAuditController } from './audit.controller.js';
import { AuditChain, AuditReader } from './audit/audit.reader.js';
import { AuditService, InstallationAudit } from './audit/audit.service.js';
import { MeController } from './me.controller.js';
import { RolesController } from './roles.controller.js';
import { RolesService } from './roles.service.js';
import { StorageRepository } from './storage/storage.repository.js';
import { StorageMeasuring, StorageService } from './storage/storage.service.js';
import { TenantStorage } from './storage/tenant-storage.js';
import { TenantAddresses } from './tenant-addresses.js';
import { TenantStore } from './tenant.store.js';
import {
  OwnTenantController,
  StorageController,
  TenantStorageController,
  TenantsController,
} from './tenants.controller.js';
import { TenantsRepository } from './tenants.repository.js';
import { TenantsService } from './tenants.service.js';

/**
 * Tenants and their API keys. Global, because the routes of every room use its guards. A global module of
 * `directory-sync` provides `KnownUsers`.
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
    ApiKeysService,
    RolesService,
    AuditService,
    AuditReader,
    InstallationAudit,
    AuditChain,
    Administrators,
    StorageMeasuring,
    StorageService,
    StorageRepository,
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
    StorageService,
    TenantStorage,
  ],
})
export class TenantsModule {}
