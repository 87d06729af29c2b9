import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates/candidates.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { UsersModule } from '../users/users.module.js';
import { ResolveController } from './resolve.controller.js';

/** The room of `resolve`. */
@Module({ imports: [UsersModule, CandidatesModule, JobsModule], controllers: [ResolveController] })
export class LookupModule {}
