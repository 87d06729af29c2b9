import { Module } from '@nestjs/common';
import { AtsConnectionsModule } from './connections/connections.module.js';
import { AtsInboundModule } from './inbound/inbound.module.js';
import { AtsSyncModule } from './sync/sync.module.js';

/** The applicant tracking systems (ATS) of tenants. */
@Module({ imports: [AtsConnectionsModule, AtsInboundModule, AtsSyncModule] })
export class AtsModule {}
