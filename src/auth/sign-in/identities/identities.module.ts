import { Module } from '@nestjs/common';
import { SessionsModule } from '../../../tenancy/sessions/sessions.module.js';
import { ConnectionsModule } from '../../connections/connections.module.js';
import { ConnectionIdentitiesController } from './connection-identities.controller.js';
import { ForgetSubjectsController } from './forget-subjects.controller.js';
import { IdentitiesRepository } from './identities.repository.js';
import { IdentitiesService } from './identities.service.js';
import { UserIdentitiesController } from './user-identities.controller.js';

/** The administration of identity bindings. */
@Module({
  imports: [SessionsModule, ConnectionsModule],
  controllers: [UserIdentitiesController, ConnectionIdentitiesController, ForgetSubjectsController],
  providers: [IdentitiesService, IdentitiesRepository],
})
export class IdentitiesModule {}
