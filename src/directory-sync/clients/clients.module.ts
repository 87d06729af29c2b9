import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../../forwarding/platform-client/platform-client.module.js';
import { SessionsModule } from '../../tenancy/sessions/sessions.module.js';
import { DirectoriesModule } from '../directories/directories.module.js';
import { AccessTokenStore, ClientUses, ScimCredentials } from './access-token.store.js';
import { AccessTokensRepository, AccessTokens, ClientAssertions } from './access-tokens.service.js';
import { ClientCaches, ClientSecretStore, ClientStore } from './client.store.js';
import { ClientsController } from './clients.controller.js';
import { ClientsRepository } from './clients.repository.js';
import { ClientsService, DeletedDirectoryClients } from './clients.service.js';
import { TokenController } from './token.controller.js';

/** The OAuth clients of directories, and the access tokens that they get for SCIM. */
@Module({
  // `PlatformClientModule` provides `Outbound`, which makes all calls to other servers.
  imports: [DirectoriesModule, SessionsModule, PlatformClientModule],
  controllers: [ClientsController, TokenController],
  providers: [
    AccessTokenStore,
    AccessTokens,
    AccessTokensRepository,
    ClientAssertions,
    ClientCaches,
    ClientSecretStore,
    ClientStore,
    ClientUses,
    ClientsRepository,
    ClientsService,
    DeletedDirectoryClients,
    ScimCredentials,
  ],
  exports: [ScimCredentials],
})
export class ClientsModule {}
