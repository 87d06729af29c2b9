import { Module } from '@nestjs/common';
import { SignInModule } from '../../sign-in/sign-in.module.js';
import { AtsAdministrationModule } from '../connections/administration.module.js';
import { DomainsModule } from '../../connections/domains/domains.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AuthorizationsRepository } from './authorizations.repository.js';
import { ConnectLinksController } from './connect-links.controller.js';
import { ConnectLinksRepository } from './connect-links.repository.js';
import { ConnectLinksService } from './connect-links.service.js';
import { GrantedConnections } from './granted-connections.js';
import { GrantKeepAlive } from './keep-alive.js';
import { MarketplaceController } from './marketplace.controller.js';
import { MarketplaceService } from './marketplace.service.js';

/** Connecting an ATS by OAuth, in a browser. */
@Module({
  imports: [AtsConnectionsModule, AtsAdministrationModule, DomainsModule, SignInModule],
  controllers: [ConnectLinksController, MarketplaceController],
  providers: [
    AuthorizationsRepository,
    ConnectLinksRepository,
    ConnectLinksService,
    GrantedConnections,
    GrantKeepAlive,
    MarketplaceService,
  ],
})
export class AtsMarketplaceModule {}
