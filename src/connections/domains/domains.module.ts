import { Module } from '@nestjs/common';
import { SessionsModule } from '../../sessions/sessions.module.js';
import { TxtRecords } from './dns.js';
import { DomainChecks } from './domain-checks.js';
import { DomainVerification } from './domain-verification.js';
import { DomainsController } from './domains.controller.js';
import { DomainsRepository } from './domains.repository.js';
import { DomainsService } from './domains.service.js';
import { DomainsStore } from './domains.store.js';
import { OnlyDoor } from '../sso-requirement/sso-requirement.js';
import { TrustedDomainsController } from './trusted-domains.controller.js';

/** Domains of tenants: the list, the verification, and who looks after it every day (`DomainChecks`). */
@Module({
  imports: [SessionsModule],
  controllers: [DomainsController, TrustedDomainsController],
  providers: [TxtRecords, DomainsRepository, DomainVerification, DomainsService, DomainsStore, DomainChecks, OnlyDoor],
  exports: [OnlyDoor, DomainsService, DomainsStore, DomainChecks],
})
export class DomainsModule {}
