import { Module } from '@nestjs/common';
import { LookupModule, RecordNamesModule } from './lookup/lookup.module.js';
import { HistoryModule } from './history/history.module.js';

/** What is read across the houses. */
@Module({ imports: [LookupModule, RecordNamesModule, HistoryModule] })
export class OverviewModule {}
