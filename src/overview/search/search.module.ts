import { Module } from '@nestjs/common';
import { SignInModule } from '../../auth/sign-in/sign-in.module.js';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { RequestsModule } from '../requests/requests.module.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';

@Module({
  imports: [SignInModule, UsersModule, TasksModule, ForwardingModule, RequestsModule],
  controllers: [SearchController],
  providers: [SearchService],
})
export class SearchModule {}
