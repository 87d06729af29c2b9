import { Module } from '@nestjs/common';
import { AtsCallsModule } from './calls/calls.module.js';
import { AtsAdministrationModule } from './administration/administration.module.js';
import { AtsConnectionsModule } from './connections/connections.module.js';
import { AtsInboundModule } from './inbound/inbound.module.js';
import { AtsMarketplaceModule } from './marketplace/marketplace.module.js';
import { AtsPublishModule } from './publish/publish.module.js';
import { AtsSyncModule } from './sync/sync.module.js';

@Module({
  imports: [
    AtsConnectionsModule,
    AtsCallsModule,
    AtsAdministrationModule,
    AtsInboundModule,
    AtsSyncModule,
    AtsPublishModule,
    AtsMarketplaceModule,
  ],
})
export class AtsModule {}
