import { Module } from '@nestjs/common';
import { SeatsModule } from '../../seats/seats.module.js';
import { StatusModule } from '../status/status.controller.js';
import { OverviewController } from './overview.controller.js';
import { OverviewService } from './overview.service.js';

@Module({
  imports: [StatusModule, SeatsModule],
  controllers: [OverviewController],
  providers: [OverviewService],
})
export class OverviewNowModule {}
