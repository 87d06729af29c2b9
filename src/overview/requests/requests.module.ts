import { Module } from '@nestjs/common';
import { DirectoriesModule } from '../../directory-sync/directories/directories.module.js';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { RequestRows } from './request-rows.js';
import { DirectoryRequestsController, RequestsController } from './requests.controller.js';
import { RequestsRepository } from './requests.repository.js';

@Module({
  imports: [DirectoriesModule, UsersModule],
  controllers: [RequestsController, DirectoryRequestsController],
  providers: [RequestRows, RequestsRepository],
  exports: [RequestRows, RequestsRepository],
})
export class RequestsModule {}
