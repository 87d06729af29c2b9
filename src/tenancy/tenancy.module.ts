import { Module } from '@nestjs/common';
import { LedgerModule } from './ledger/ledger.module.js';
import { TenantsModule } from './tenants/tenants.module.js';
import { SessionsModule } from './sessions/sessions.module.js';

/** The tenants, their keys and roles, the sessions of their users, and the ledgers. */
@Module({ imports: [LedgerModule, TenantsModule, SessionsModule] })
export class TenancyModule {}
