import { Module } from '@nestjs/common';
import { CandidatesModule } from '../../hiring/candidates/candidates.module.js';
import { InterviewsModule } from '../../hiring/interviews/interviews.module.js';
import { AtsConnectionsModule } from '../../integrations/ats/connections/connections.module.js';
import { AtsInboundModule } from '../../integrations/ats/inbound/inbound.module.js';
import { AtsPublishModule } from '../../integrations/ats/publish/publish.module.js';
import { AtsRecordsModule } from '../../integrations/ats/records/records.module.js';
import { CandidateHistoryService } from './candidate-history.service.js';
import { CandidateHistoryController, HistoryController } from './history.controller.js';
import { HistoryService } from './history.service.js';
import { LeaversController } from './leavers.controller.js';
import { LeaversService } from './leavers.service.js';

@Module({
  imports: [
    AtsConnectionsModule,
    AtsInboundModule,
    AtsPublishModule,
    AtsRecordsModule,
    CandidatesModule,
    InterviewsModule,
  ],
  controllers: [HistoryController, LeaversController, CandidateHistoryController],
  providers: [CandidateHistoryService, HistoryService, LeaversService],
})
export class HistoryModule {}
