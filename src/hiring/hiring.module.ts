import { Module } from '@nestjs/common';
import { CandidatesModule, CandidateTitlesModule } from './candidates/candidates.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { InterviewsModule } from './interviews/interviews.module.js';

@Module({ imports: [CandidatesModule, CandidateTitlesModule, JobsModule, InterviewsModule] })
export class HiringModule {}
