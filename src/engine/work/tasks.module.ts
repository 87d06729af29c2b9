import { Module } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { CallingTasks, LocalTasks } from './task-work.js';
import { TaskHandlers } from './task.js';
import { TasksController } from './tasks.controller.js';
import { TasksRepository } from './tasks.repository.js';
import { TasksService } from './tasks.service.js';
import { WorkEntries } from './work-entries.repository.js';
import { WorkKinds } from './work-kinds.js';
import { WorkEngine } from './work.engine.js';

/** Everything that runs without a request, and the tasks of tenants. The rooms declare their kinds and handlers. */
@Module({
  imports: [DiscoveryModule],
  controllers: [TasksController],
  providers: [
    CallingTasks,
    TasksRepository,
    LocalTasks,
    TaskHandlers,
    TasksService,
    WorkEngine,
    WorkEntries,
    {
      provide: WorkKinds,
      useFactory: (discovery: DiscoveryService) => new WorkKinds(discovery),
      inject: [DiscoveryService],
    },
  ],
  exports: [TasksRepository, TaskHandlers, WorkEngine, WorkEntries],
})
export class TasksModule {}
