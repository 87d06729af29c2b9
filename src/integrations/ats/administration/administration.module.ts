import { Module } from '@nestjs/common';
import { TasksModule } from '../../../engine/work/tasks.module.js';
import { AtsCallsModule } from '../calls/calls.module.js';
import { AtsRecordsModule } from '../records/records.module.js';
import { AtsPublishModule } from '../publish/publish.module.js';
import { AtsSyncModule } from '../sync/sync.module.js';
import { AtsConnectionChanges } from './ats-connection-changes.js';
import { AtsConnectionInput } from './ats-connection-input.js';
import { AtsConnectionEnd } from './ats-connection-end.js';
import { AtsConnectionReads } from './ats-connection-reads.js';
import { AtsApprovers } from './ats-approvers.js';
import { AtsSetupTask } from './ats-setup-task.js';
import { AtsConnectionSetup } from './ats-connection-setup.js';
import { AtsConnectionsController } from './ats-connections.controller.js';
import { AtsConnectionsService } from './ats-connections.service.js';
import { AtsWebhookAccess } from './ats-webhook-access.js';
import { AtsWebhooks } from './ats-webhooks.js';
import { RemoteEnd } from './remote-end.js';
import { AtsRemoval } from './ats-removal.js';
import { AtsUsers } from './ats-users.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { SameAccount } from './same-account.js';

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
