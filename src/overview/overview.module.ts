import { Module } from '@nestjs/common';
import { LookupModule, RecordNamesModule } from './lookup/lookup.module.js';
import { RequestsModule } from './requests/requests.module.js';
import { ExplainModule } from './explain/explain.controller.js';
import { SearchModule } from './search/search.controller.js';
import { StatusModule } from './status/status.controller.js';
import { OverviewNowModule } from './now/overview.controller.js';
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
