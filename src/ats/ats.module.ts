import { Module } from '@nestjs/common';
import { AtsAdministrationModule } from './connections/administration.module.js';
import { AtsConnectionsModule } from './connections/connections.module.js';

/** The applicant tracking systems (ATS) of tenants. */
@Module({ imports: [AtsConnectionsModule, AtsAdministrationModule] })
export class AtsModule {}
