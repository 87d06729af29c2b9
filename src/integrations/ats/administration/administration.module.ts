import { Module } from '@nestjs/common';
import { TasksModule } from '../../../engine/work/tasks.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsPublishModule } from '../publish/publish.module.js';
import { AtsRecordsModule } from '../records/records.module.js';
import { AtsSyncModule } from '../sync/sync.module.js';
import { AtsUsers } from './ats-users.js';
import { AtsConnectionEnd } from './connection-end.js';
import { AtsConnectionReads } from './connection-reads.js';
import { AtsConnectionSetup } from './connection-setup.js';
import { AtsConnectionsController } from './connections.controller.js';
import { AtsConnectionChanges, AtsConnectionsService } from './connections.service.js';
import { SameAccount } from './same-account.js';
import { AtsWebhooks } from './webhooks.js';

@Module({
  imports: [AtsConnectionsModule, AtsCallsModule, AtsRecordsModule, AtsSyncModule, AtsPublishModule, TasksModule],
  controllers: [AtsConnectionsController],
  providers: [
    AtsConnectionChanges,
    AtsConnectionsService,
    AtsConnectionEnd,
    AtsConnectionReads,
    AtsUsers,
    AtsConnectionSetup,
    AtsWebhooks,
    SameAccount,
  ],
  exports: [AtsUsers, AtsConnectionsService, AtsConnectionSetup, SameAccount],
})
export class AtsAdministrationModule {}
