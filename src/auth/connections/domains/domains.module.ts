import { Module } from '@nestjs/common';
import { SessionsModule } from '../../../tenancy/sessions/sessions.module.js';
import { DomainsController, TrustedDomainsController } from './domains.controller.js';
import { DomainsRepository } from './domains.repository.js';
import { DomainsService } from './domains.service.js';
import { DomainsStore } from './domains.store.js';
import { DomainVerification, DomainChecks } from './verification.js';

/** Domains of tenants: the list, the verification, and the daily check (`DomainChecks`). */
@Module({
  imports: [SessionsModule],
  controllers: [DomainsController, TrustedDomainsController],
  providers: [DomainVerification, DomainsRepository, DomainsService, DomainsStore, DomainChecks],
  exports: [DomainsRepository, DomainsService, DomainsStore],
})
export class DomainsModule {}
