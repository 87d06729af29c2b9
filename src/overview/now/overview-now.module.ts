import { Module } from '@nestjs/common';
import { SeatsModule } from '../../seats/seats.module.js';
import { StatusModule } from '../status/status.controller.js';
import { OverviewController } from './overview.controller.js';
import { OverviewService } from './overview.service.js';

/** What needs attention now. Only reads. */
@Module({
  imports: [StatusModule, SeatsModule],
  controllers: [OverviewController],
  providers: [OverviewService],
})
export class OverviewNowModule {}
