import { Module } from '@nestjs/common';
import { Channels } from '../../../engine/delivery/channel.js';
import { DeliveryModule } from '../../../engine/delivery/delivery.module.js';
import { EventReceivers } from '../../../engine/events/event-source.js';
import { PlatformClientModule } from '../../../forwarding/platform-client/platform-client.module.js';
import { EndpointClient, WebhookAddresses, EndpointSender } from '../endpoint-sender.js';
import { EndpointSecrets, EndpointStore } from '../endpoint.store.js';
import { WebhookEventChannel, WebhookChannel, WebhookEventRecorder } from './webhook.channel.js';

/** Delivers events to endpoints. */
@Module({
  // For `Outbound`, which makes all calls to other servers.
  imports: [DeliveryModule, PlatformClientModule],
  providers: [
    EndpointSecrets,
    EndpointStore,
    WebhookAddresses,
    EndpointClient,
    EndpointSender,
    WebhookChannel,
    WebhookEventChannel,
    WebhookEventRecorder,
  ],
  exports: [DeliveryModule, EndpointSecrets, EndpointStore, EndpointSender, WebhookAddresses],
})
export class WebhookChannelModule {
  constructor(channels: Channels, receivers: EventReceivers, channel: WebhookChannel, events: WebhookEventChannel) {
    channels.add(channel);
    receivers.add(events);
  }
}
