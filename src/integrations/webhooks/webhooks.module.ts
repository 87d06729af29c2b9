import { Module } from '@nestjs/common';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { WebhookChannelModule } from './channel/channel.module.js';
import { DirectSender, DirectDelivery } from './direct-delivery.js';
import { EndpointAccess, EndpointsRepository, GivenUpRepository } from './endpoints.repository.js';
import { MessagesController } from './messages.controller.js';
import { MessagesService } from './messages.service.js';
import { ReplayRun, Replays } from './replays.js';
import { WebhooksController } from './webhooks.controller.js';
import { LeftEndpoints, WebhooksService } from './webhooks.service.js';

/** Outbound webhooks: endpoints, their secrets, and what became of their messages. */
@Module({
  imports: [WebhookChannelModule, TasksModule],
  controllers: [WebhooksController, MessagesController],
  providers: [
    EndpointsRepository,
    EndpointAccess,
    GivenUpRepository,
    LeftEndpoints,
    WebhooksService,
    DirectDelivery,
    DirectSender,
    MessagesService,
    Replays,
    ReplayRun,
  ],
})
export class WebhooksModule {}
