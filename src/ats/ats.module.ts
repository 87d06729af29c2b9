import { Module } from '@nestjs/common';
import { AtsConnectionsModule } from './connections/connections.module.js';

/** The applicant tracking systems (ATS) of tenants. */
@Module({ imports: [AtsConnectionsModule] })
export class AtsModule {}
