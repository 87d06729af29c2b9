import { Module } from '@nestjs/common';
import { PlatformClientModule } from '../../../forwarding/platform-client/platform-client.module.js';
import { AtsConnectionsModule } from '../connections/connections.module.js';
import { AtsApis } from './ats-apis.js';
import { AtsCallOptions, AtsPaces } from './connection-api.js';

@Module({
  imports: [AtsConnectionsModule, PlatformClientModule],
  providers: [AtsApis, AtsPaces, { provide: AtsCallOptions, useFactory: () => new AtsCallOptions() }],
  exports: [AtsApis, AtsCallOptions],
})
export class AtsCallsModule {}
