import { Module } from '@nestjs/common';
import { LookupModule, RecordNamesModule } from './lookup/lookup.module.js';
import { RequestsModule } from './requests/requests.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { SearchModule } from './search/search.module.js';
import { StatusModule } from './status/status.controller.js';
import { OverviewNowModule } from './now/overview-now.module.js';
import { HistoryModule } from './history/history.module.js';

@Module({
  imports: [
    LookupModule,
    RecordNamesModule,
    RequestsModule,
    ExplainModule,
    SearchModule,
    StatusModule,
    OverviewNowModule,
    HistoryModule,
  ],
})
export class OverviewModule {}
