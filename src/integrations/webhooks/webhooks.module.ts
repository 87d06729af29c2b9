import { Module } from '@nestjs/common';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { WebhookChannelModule } from './channel/channel.module.js';
import { DirectDelivery } from './direct-delivery.js';
import { EndpointsRepository } from './endpoints.repository.js';
import { MessagesController } from './messages.controller.js';
import { MessagesService } from './messages.service.js';
import { Replays } from './replays.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [WebhookChannelModule, TasksModule],
  controllers: [WebhooksController, MessagesController],
  providers: [EndpointsRepository, WebhooksService, DirectDelivery, MessagesService, Replays],
})
export class WebhooksModule {}
