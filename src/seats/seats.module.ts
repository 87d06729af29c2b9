import { Module } from '@nestjs/common';
import { TasksModule } from '../engine/work/tasks.module.js';
import { TenantsModule } from '../tenancy/tenants/tenants.module.js';
import { LedgerReader } from './ledger-reader.js';
import { SeatAccounts } from './ledger/seat-accounts.js';
import { Reconciliation } from './reconciliation.js';
import { SeatChain } from './seat-chain.js';
import { SeatLimitsService } from './seat-limits.service.js';
import { SeatChainController, SeatListsController } from './seat-lists.controller.js';
import { SeatReportsRepository } from './seat-reports.repository.js';
import { SeatsController } from './seats.controller.js';
import { SeatsRepository } from './seats.repository.js';
import { SeatsService } from './seats.service.js';

/** The seats of a tenant: limit, ledger, reports. */
@Module({
  imports: [TenantsModule, TasksModule],
  controllers: [SeatsController, SeatListsController, SeatChainController],
  providers: [
    SeatsRepository,
    SeatsService,
    SeatLimitsService,
    SeatReportsRepository,
    LedgerReader,
    SeatChain,
    SeatAccounts,
    Reconciliation,
  ],
  exports: [SeatsService, SeatsRepository, SeatLimitsService],
})
export class SeatsModule {}
