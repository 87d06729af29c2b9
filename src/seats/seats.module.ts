import { Module } from '@nestjs/common';
import { TasksModule } from '../engine/work/tasks.module.js';
import { TenantsModule } from '../tenancy/tenants/tenants.module.js';
import { LedgerReader } from './ledger-reader.js';
import { LedgerCorrection } from './ledger-correction.js';
import { Reconciliation } from './reconciliation.js';
import { SeatAccounts } from './ledger/seat-accounts.js';
import { SeatVerifier } from './seat-verifier.js';
import { SealedMoments } from './sealed-moments.js';
import { SeatChain } from './seat-chain.js';
import { SeatChainController } from './seat-chain.controller.js';
import { SeatListsController } from './seat-lists.controller.js';
import { SeatLimitsService } from './seat-limits.service.js';
import { SeatReportsRepository } from './seat-reports.repository.js';
import { SeatsController } from './seats.controller.js';
import { SeatsRepository } from './seats.repository.js';
import { SeatsService } from './seats.service.js';
import { UsageReport } from './usage-report.js';

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
    SealedMoments,
    UsageReport,
    SeatChain,
    SeatAccounts,
    SeatVerifier,
    Reconciliation,
    LedgerCorrection,
  ],
  exports: [SeatsService, SeatsRepository, SeatLimitsService],
})
export class SeatsModule {}
