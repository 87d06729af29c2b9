import { Module } from '@nestjs/common';
import { SignInModule } from '../../../auth/sign-in/sign-in.module.js';
import { AtsAdministrationModule } from '../administration/administration.module.js';
import { DomainsModule } from '../../../auth/connections/domains/domains.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AuthorizationStates } from './authorization-states.js';
import { WriterChoice } from './writer-choice.js';
import { WriterController } from './writer.controller.js';
import { AuthorizationsRepository } from './authorizations.repository.js';
import { ConnectLinksController } from './connect-links.controller.js';
import { ConnectLinksRepository } from './connect-links.repository.js';
import { ConnectLinksService } from './connect-links.service.js';
import { GrantedConnections } from './granted-connections.js';
import { GrantKeepAlive } from './keep-alive.js';
import { MarketplaceController } from './marketplace.controller.js';
import { StartPages } from './start-pages.js';
import { VendorOAuth } from './vendor-oauth.js';
import { MarketplaceService } from './marketplace.service.js';

/** Connecting an ATS by OAuth, in a browser. */
@Module({
  imports: [AtsConnectionsModule, AtsCallsModule, AtsAdministrationModule, DomainsModule, SignInModule],
  controllers: [ConnectLinksController, MarketplaceController, WriterController],
  providers: [
    AuthorizationsRepository,
    AuthorizationStates,
    WriterChoice,
    ConnectLinksRepository,
    ConnectLinksService,
    GrantedConnections,
    GrantKeepAlive,
    MarketplaceService,
    StartPages,
    VendorOAuth,
  ],
})
export class AtsMarketplaceModule {}
