import { Module } from '@nestjs/common';
import { SessionsModule } from '../../../tenancy/sessions/sessions.module.js';
import { TxtRecords } from './dns.js';
import { DomainChecks } from './domain-checks.js';
import { DomainVerification } from './domain-verification.js';
import { DomainsController } from './domains.controller.js';
import { DomainsRepository } from './domains.repository.js';
import { DomainsService } from './domains.service.js';
import { DomainsStore } from './domains.store.js';
import { SsoRequirement } from '../sso-requirement/sso-requirement.js';
import { TrustedDomainsController } from './trusted-domains.controller.js';

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
