import { Module } from '@nestjs/common';
import { Channels } from '../../../engine/delivery/channel.js';
import { DeliveryModule } from '../../../engine/delivery/delivery.module.js';
import { EventSources } from '../../../engine/events/event-source.js';
import { PlatformClientModule } from '../../../forwarding/platform-client/platform-client.module.js';
import { EndpointSender } from '../endpoint-sender.js';
import { EndpointStore } from '../endpoint.store.js';
import { WebhookEventChannel, WebhookChannel, WebhookEventRecorder } from './webhook.channel.js';

@Module({
  // For `Outbound`, which makes all calls to other servers.
  imports: [DeliveryModule, PlatformClientModule],
  providers: [EndpointStore, EndpointSender, WebhookChannel, WebhookEventChannel, WebhookEventRecorder],
  exports: [DeliveryModule, EndpointStore, EndpointSender],
})
export class WebhookChannelModule {
  constructor(channels: Channels, receivers: EventSources, channel: WebhookChannel, events: WebhookEventChannel) {
    channels.add(channel);
    receivers.addReceivers(events);
  }
}
