import { Module } from '@nestjs/common';
import { SessionsModule } from '../../../tenancy/sessions/sessions.module.js';
import { DomainsController, TrustedDomainsController } from './domains.controller.js';
import { DomainsRepository, SsoRequirement } from './domains.repository.js';
import { DomainsService } from './domains.service.js';
import { DomainsStore } from './domains.store.js';
import { TxtRecords, DomainChecks, DomainVerification } from './verification.js';

/** Domains of tenants: the list, the verification, and the daily check (`DomainChecks`). */
@Module({
  imports: [SessionsModule],
  controllers: [DomainsController, TrustedDomainsController],
  providers: [
    TxtRecords,
    DomainsRepository,
    DomainVerification,
    DomainsService,
    DomainsStore,
    DomainChecks,
    SsoRequirement,
  ],
  exports: [SsoRequirement, DomainsService, DomainsStore],
})
export class DomainsModule {}
