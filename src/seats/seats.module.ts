import { Module } from '@nestjs/common';
import { TenantsModule } from '../tenants/tenants.module.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { SeatSealer } from './ledger/sealer.js';
import { SeatLimitsService } from './seat-limits.service.js';
import { SeatReportsRepository } from './seat-reports.repository.js';
import { SeatsController } from './seats.controller.js';
import { SeatsRepository } from './seats.repository.js';
import { SeatsService } from './seats.service.js';
import { UsageReport } from './usage-report.js';

@Module({
  imports: [TenantsModule],
  controllers: [SeatsController],
  providers: [
    SeatsRepository,
    SeatsService,
    SeatLimitsService,
    SeatReportsRepository,
    LedgerReader,
    UsageReport,
    SeatSealer,
  ],
  exports: [SeatsService, SeatsRepository, SeatLimitsService, SeatSealer],
})
export class SeatsModule {}
