import { Module } from '@nestjs/common';
import { SignInModule } from '../../sign-in/sign-in.module.js';
import { TasksModule } from '../../tasks/tasks.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { Administrators } from '../marketplace/administrators.js';
import { AuthorizationsRepository } from '../marketplace/authorizations.repository.js';
import { ConnectLinksController } from '../marketplace/connect-links.controller.js';
import { ConnectLinksRepository } from '../marketplace/connect-links.repository.js';
import { ConnectLinksService } from '../marketplace/connect-links.service.js';
import { GrantedConnections } from '../marketplace/granted-connections.js';
import { GrantKeepAlive } from '../marketplace/keep-alive.js';
import { MarketplaceController } from '../marketplace/marketplace.controller.js';
import { MarketplaceService } from '../marketplace/marketplace.service.js';
import { AtsPublishModule } from '../publish/publish.module.js';
import { AtsSyncModule } from '../sync/sync.module.js';
import { AtsConnectionEnd } from './ats-connection-end.js';
import { AtsConnectionReads } from './ats-connection-reads.js';
import { AtsConnectionSetup } from './ats-connection-setup.js';
import { AtsConnectionsController } from './ats-connections.controller.js';
import { AtsConnectionsService } from './ats-connections.service.js';
import { AtsConnectionsModule } from './connections.module.js';

/** The administration of connections to ATSs, by API and in a browser. */
@Module({
  imports: [AtsConnectionsModule, AtsCallsModule, AtsSyncModule, AtsPublishModule, TasksModule, SignInModule],
  controllers: [AtsConnectionsController, ConnectLinksController, MarketplaceController],
  providers: [
    AtsConnectionsService,
    AtsConnectionEnd,
    AtsConnectionReads,
    AtsConnectionSetup,
    ConnectLinksRepository,
    ConnectLinksService,
    Administrators,
    AuthorizationsRepository,
    GrantedConnections,
    GrantKeepAlive,
    MarketplaceService,
  ],
})
export class AtsAdministrationModule {}
