import { Module } from '@nestjs/common';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { AtsModule } from './ats/ats.module.js';

@Module({ imports: [WebhooksModule, AtsModule] })
export class IntegrationsModule {}
