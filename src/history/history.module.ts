import { Module } from '@nestjs/common';
import { HistoryController } from './history.controller.js';
import { HistoryRepository } from './history.repository.js';
import { HistoryService } from './history.service.js';
import { LeaversController } from './leavers.controller.js';
import { LeaversRepository } from './leavers.repository.js';
import { LeaversService } from './leavers.service.js';

/** The history of each user, and the times of each leaver. Only reads. */
@Module({
  controllers: [HistoryController, LeaversController],
  providers: [HistoryService, HistoryRepository, LeaversService, LeaversRepository],
})
export class HistoryModule {}
