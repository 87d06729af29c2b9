import { Module } from '@nestjs/common';
import { HistoryController } from './history.controller.js';
import { HistoryRepository } from './history.repository.js';
import { HistoryService } from './history.service.js';
import { LeaversController } from './leavers.controller.js';
import { LeaversRepository } from './leavers.repository.js';
import { LeaversService } from './leavers.service.js';

/** What happened to people: one person's history, and each leaver's record of times. Reads only. */
@Module({
  controllers: [HistoryController, LeaversController],
  providers: [HistoryService, HistoryRepository, LeaversService, LeaversRepository],
})
export class HistoryModule {}
