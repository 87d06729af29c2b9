import { Module } from '@nestjs/common';
import { TasksModule } from '../../../engine/work/tasks.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsPublishModule } from '../publish/publish.module.js';
import { AtsRecordsModule } from '../records/records.module.js';
import { AtsSyncModule } from '../sync/sync.module.js';
import { AtsApprovers, AtsUsers } from './ats-users.js';
import { AtsConnectionEnd, RemoteEnd, AtsRemoval } from './connection-end.js';
import { AtsConnectionReads, AtsWebhookAccess } from './connection-reads.js';
import { AtsSetupTask, AtsConnectionSetup } from './connection-setup.js';
import { AtsConnectionsController } from './connections.controller.js';
import { AtsConnectionChanges, AtsConnectionInput, AtsConnectionsService } from './connections.service.js';
import { SameAccount } from './same-account.js';
import { AtsWebhooks } from './webhooks.js';

/** The administration of connections to ATSs by API. */
@Module({
  imports: [AtsConnectionsModule, AtsCallsModule, AtsRecordsModule, AtsSyncModule, AtsPublishModule, TasksModule],
  controllers: [AtsConnectionsController],
  providers: [
    AtsConnectionChanges,
    AtsConnectionInput,
    AtsConnectionsService,
    AtsConnectionEnd,
    AtsConnectionReads,
    AtsApprovers,
    AtsConnectionSetup,
    AtsSetupTask,
    AtsWebhookAccess,
    AtsWebhooks,
    RemoteEnd,
    AtsRemoval,
    SameAccount,
    AtsUsers,
  ],
  exports: [AtsApprovers, AtsConnectionsService, AtsConnectionSetup, SameAccount, AtsUsers],
})
export class AtsAdministrationModule {}
