import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../../forwarding/platform-client/platform-client.module.js';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { DirectoriesModule } from '../directories/directories.module.js';
import { ScimCredentials, ClientUses } from './access-token.store.js';
import { AccessTokens } from './access-tokens.service.js';
import { ClientStore } from './client.store.js';
import { ClientsController } from './clients.controller.js';
import { ClientsRepository } from './clients.repository.js';
import { ClientsService } from './clients.service.js';
import { TokenController } from './token.controller.js';

/** The OAuth clients of directories, and the access tokens that they get for SCIM. */
@Module({
  // `PlatformClientModule` provides `Outbound`, which makes all calls to other servers.
  imports: [DirectoriesModule, SessionsModule, PlatformClientModule],
  controllers: [ClientsController, TokenController],
  providers: [ScimCredentials, AccessTokens, ClientStore, ClientUses, ClientsRepository, ClientsService],
  exports: [ScimCredentials],
})
export class ClientsModule {}
