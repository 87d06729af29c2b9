import { Module } from '@nestjs/common';
import { CandidatesModule } from '../../../hiring/candidates/candidates.module.js';
import { JobsModule } from '../../../hiring/jobs/jobs.module.js';
import { AtsRecordWriter } from './ats-record-writer.js';
import { CandidateRecords } from './candidate-records.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { JobRecords } from './job-records.js';
import { MissingOpenings } from './openings.js';
import { MentionsRepository } from './mentions.repository.js';
import { AtsRecordsRepository } from './records.repository.js';
import { RemovedCandidates } from './removed-candidates.js';

/** The records of ATSs, and the one way to write them. */
@Module({
  imports: [AtsConnectionsModule, CandidatesModule, JobsModule],
  providers: [
    AtsRecordWriter,
    AtsRecordsRepository,
    CandidateRecords,
    JobRecords,
    MentionsRepository,
    MissingOpenings,
    RemovedCandidates,
  ],
  exports: [AtsRecordWriter, AtsRecordsRepository, MissingOpenings],
})
export class AtsRecordsModule {}
