import { Module } from '@nestjs/common';
import { AtsSync } from './ats-sync.js';

/** What is read from the ATS by the clock. */
@Module({ providers: [AtsSync], exports: [AtsSync] })
export class AtsSyncModule {}
