import { Module } from '@nestjs/common';
import { DomainsModule } from '../../../auth/connections/domains/domains.module.js';
import { SignInModule } from '../../../auth/sign-in/sign-in.module.js';
import { AtsAdministrationModule } from '../administration/administration.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AuthorizationsRepository } from './authorizations.repository.js';
import { WriterController, ConnectLinksController } from './connect-links.controller.js';
import { ConnectLinksService } from './connect-links.service.js';
import { GrantedConnections, GrantKeepAlive } from './granted-connections.js';
import { StartPages } from './marketplace-pages.js';
import { MarketplaceController } from './marketplace.controller.js';
import { MarketplaceService } from './marketplace.service.js';

@Module({
  imports: [AtsConnectionsModule, AtsCallsModule, AtsAdministrationModule, DomainsModule, SignInModule],
  controllers: [ConnectLinksController, MarketplaceController, WriterController],
  providers: [
    AuthorizationsRepository,
    GrantedConnections,
    ConnectLinksService,
    GrantKeepAlive,
    MarketplaceService,
    StartPages,
  ],
})
export class AtsMarketplaceModule {}
