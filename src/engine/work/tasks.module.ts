import { Module } from '@nestjs/common';
import { LeftOutRepository } from './left-out.repository.js';
import { TaskClaims } from './task-claims.repository.js';
import { TaskHandlers } from './task-handlers.js';
import { TasksController } from './tasks.controller.js';
import { TasksRepository } from './tasks.repository.js';
import { TasksRunner } from './tasks.runner.js';
import { TasksService } from './tasks.service.js';

/** The background work of tenants: one runner for all kinds. The rooms above add the handlers of theirs. */
@Module({
  controllers: [TasksController],
  providers: [TasksRepository, TaskClaims, TaskHandlers, TasksRunner, TasksService, LeftOutRepository],
  exports: [LeftOutRepository, TaskHandlers, TasksRepository, TasksRunner],
})
export class TasksModule {}
