import { Module } from '@nestjs/common';
import { LeftOutRepository } from './left-out.repository.js';
import { TasksController } from './tasks.controller.js';
import { TasksRepository } from './tasks.repository.js';

/** The background work of a tenant, as its administrators see it. The rooms above do the work. */
@Module({
  controllers: [TasksController],
  providers: [TasksRepository, LeftOutRepository],
  exports: [LeftOutRepository],
})
export class TasksModule {}
