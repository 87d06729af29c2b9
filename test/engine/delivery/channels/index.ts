import { atsKit } from './ats/ats.kit.js';
import type { ChannelKit } from './kit.js';
import { platformKit } from './platform/platform.kit.js';
import { webhookKit } from './webhook/webhook.kit.js';
import { receiverKit } from './receiver/receiver.kit.js';

/** All channels for which the suites of the delivery run: a channel is one folder, and one line here. */
export const CHANNELS: [string, ChannelKit][] = [
  ['platform', platformKit],
  ['receiver', receiverKit],
  ['webhook', webhookKit],
  ['ats', atsKit],
];
