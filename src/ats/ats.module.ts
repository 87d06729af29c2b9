import { Module } from '@nestjs/common';
import { AtsCallsModule } from './calls/calls.module.js';
import { AtsConnectionsModule } from './connections/connections.module.js';

/** The applicant tracking systems (ATS) of tenants. */
@Module({ imports: [AtsCallsModule, AtsConnectionsModule] })
export class AtsModule {}
