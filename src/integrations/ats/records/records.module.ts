import { Module } from '@nestjs/common';
import { CandidatesModule } from '../../../hiring/candidates/candidates.module.js';
import { JobsModule } from '../../../hiring/jobs/jobs.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { CandidateRecords } from './candidate-records.js';
import { AtsRecordWriter } from './record-writer.js';
import { AtsRecordsRepository } from './records.repository.js';
import { RemovedCandidates } from './removed-candidates.js';

@Module({
  imports: [AtsConnectionsModule, CandidatesModule, JobsModule],
  providers: [AtsRecordWriter, AtsRecordsRepository, CandidateRecords, RemovedCandidates],
  exports: [AtsRecordWriter, AtsRecordsRepository],
})
export class AtsRecordsModule {}
