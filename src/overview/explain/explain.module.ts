import { Module } from '@nestjs/common';
import { SignInModule } from '../../auth/sign-in/sign-in.module.js';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { RequestsModule } from '../requests/requests.module.js';
import { ExplainController } from './explain.controller.js';
import { UserFactsRepository } from './user-facts.repository.js';

@Module({
  imports: [UsersModule, ForwardingModule, SignInModule, RequestsModule],
  controllers: [ExplainController],
  providers: [UserFactsRepository],
})
export class ExplainModule {}
