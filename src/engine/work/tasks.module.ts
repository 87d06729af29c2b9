import { Module } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { LeftOutRepository } from './left-out.repository.js';
import { TaskClaims } from './task-claims.repository.js';
import { TaskHandlers } from './task-handlers.js';
import { CallingTasks, LocalTasks } from './task-work.js';
import { TasksController } from './tasks.controller.js';
import { TasksRepository } from './tasks.repository.js';
import { TasksService } from './tasks.service.js';
import { WorkEngine } from './work.engine.js';
import { WorkEntries } from './work-entries.repository.js';
import { WorkKinds } from './work-kinds.js';
import { WorkMetrics } from './work.metrics.js';

/** Everything that runs without a request, and the tasks of tenants. The rooms declare the kinds and the handlers of theirs. */
@Module({
  imports: [DiscoveryModule],
  controllers: [TasksController],
  providers: [
    CallingTasks,
    LeftOutRepository,
    LocalTasks,
    TaskClaims,
    TaskHandlers,
    TasksRepository,
    TasksService,
    WorkEngine,
    WorkEntries,
    WorkMetrics,
    {
      provide: WorkKinds,
      useFactory: (discovery: DiscoveryService) => new WorkKinds(discovery),
      inject: [DiscoveryService],
    },
  ],
  exports: [LeftOutRepository, TaskHandlers, TasksRepository, WorkEngine, WorkEntries, WorkMetrics],
})
export class TasksModule {}
