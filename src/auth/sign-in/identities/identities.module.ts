import { Module } from '@nestjs/common';
import { SessionsModule } from '../../../tenancy/sessions/sessions.module.js';
import { ConnectionsModule } from '../../connections/connections.module.js';
import {
  ConnectionIdentitiesController,
  ForgetSubjectsController,
  UserIdentitiesController,
} from './identities.controller.js';
import { IdentitiesService } from './identities.service.js';

@Module({
  imports: [SessionsModule, ConnectionsModule],
  controllers: [UserIdentitiesController, ConnectionIdentitiesController, ForgetSubjectsController],
  providers: [IdentitiesService],
})
export class IdentitiesModule {}
