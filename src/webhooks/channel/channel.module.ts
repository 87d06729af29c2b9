import { Module } from '@nestjs/common';
import { Channels } from '../../delivery/channel.js';
import { DeliveryModule } from '../../delivery/delivery.module.js';
import { EventReceivers } from '../../events/event-receivers.js';
import { EndpointSecrets } from '../endpoint-secrets.js';
import { EndpointStore } from '../endpoint.store.js';
import { EndpointSender } from './endpoint-sender.js';
import { WebhookEventChannel } from './event-channel.js';
import { WebhookChannel } from './webhook.channel.js';
import { WebhookEvents } from './webhook-events.js';

/** Delivers events to endpoints. */
@Module({
  imports: [DeliveryModule],
  providers: [EndpointSecrets, EndpointStore, EndpointSender, WebhookChannel, WebhookEventChannel, WebhookEvents],
  exports: [DeliveryModule, EndpointSecrets, EndpointStore, EndpointSender],
})
export class WebhookChannelModule {
  constructor(channels: Channels, receivers: EventReceivers, channel: WebhookChannel, events: WebhookEventChannel) {
    channels.add(channel);
    receivers.add(events);
  }
}
