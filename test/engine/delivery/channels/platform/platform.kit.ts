import { platformOf } from '../../../../../src/forwarding/connections.js';
import type { ChannelKit } from '../kit.js';

/** The platform: one lane for each user, newer changes replace waiting ones. The other side is the sandbox. */
export const platformKit: ChannelKit = {
  channel: (h, db) => h.platformChannel(db),
  keyOf: platformOf,
  tenant: (h, name, settings) => h.tenant(name, settings),
  enqueue: (h, tenantId, subject, n) => h.change(tenantId, subject, 'active', { last_name: `v${n}` }),
  fault: (h, tenantId, mode, rate = 1) => h.sandbox.setFaults({ mode, rate }, `key-${tenantId}`),
  requests: async (h, tenantId) => (await h.calls(tenantId)).length,
  effects: async (h, tenantId) =>
    (await h.calls(tenantId))
      .filter((call) => call['applied'] && call['external_id'])
      .map((call) => ({
        subject: String(call['external_id']).slice(2),
        n: Number(/"last_name":"v(\d+)"/.exec(String(call['body']))?.[1] ?? 0),
      })),
  stop: () => Promise.resolve(),
};
