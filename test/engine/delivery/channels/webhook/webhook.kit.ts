import { SystemClock } from '../../../../../src/base/clock.js';
import { Sealer } from '../../../../../src/base/crypto/seal.js';
import type { Database } from '../../../../../src/base/database/database.js';
import type { FailureRules } from '../../../../../src/engine/delivery/retry.rules.js';
import { EventReader } from '../../../../../src/engine/events/event-reader.js';
import { EventRecorder } from '../../../../../src/engine/events/event-recorder.js';
import { EventSources } from '../../../../../src/engine/events/event-source.js';
import { StoredEvents } from '../../../../../src/engine/events/stored-events.js';
import { WebhookChannel } from '../../../../../src/integrations/webhooks/channel/webhook.channel.js';
import { EndpointSender } from '../../../../../src/integrations/webhooks/endpoint-sender.js';
import { webhookRules } from '../../../../../src/integrations/webhooks/endpoint.rules.js';
import { WEBHOOK, EndpointStore } from '../../../../../src/integrations/webhooks/endpoint.store.js';
import { newSecret } from '../../../../../src/integrations/webhooks/signed-message.js';
import { TenantAddresses } from '../../../../../src/tenancy/tenants/tenant-addresses.js';
import type { Harness } from '../../../../forwarding/harness.js';
import { Receiver } from '../../../../integrations/webhooks/channel/receiver.js';
import type { ChannelKit } from '../kit.js';

const ENDPOINT = 'whk_kit';
const receivers = new Map<string, Receiver>();

/** The channel with many short pauses: what waits is not given up while a suite runs. */
class QuickWebhooks extends WebhookChannel {
  override rulesOf(): FailureRules {
    const probe = { firstMs: 30, maxMs: 200, fewPeopleMs: 100 };
    return webhookRules({ pauses: Array<number>(200).fill(30), endsAfterMs: 86_400_000, probe });
  }
}

function storeOf(h: Harness, db: Database): EndpointStore {
  return new EndpointStore(db, new SystemClock(), new Sealer(h.config.encryptionKeys));
}

/** The endpoints of webhooks: each event is a message, and its body stands with the event. */
export const webhookKit: ChannelKit = {
  channel(h, db) {
    const sources = new EventSources();
    sources.add(new StoredEvents(db));
    const clock = new SystemClock();
    const sender = new EndpointSender(clock, h.outbound, h.config, new TenantAddresses(h.db, h.config, clock));
    return new QuickWebhooks(storeOf(h, db), new EventReader(sources), sender, h.config);
  },
  keyOf: (tenantId) => ({ tenantId, channel: WEBHOOK, id: ENDPOINT }),
  async tenant(h, name, settings = {}) {
    const id = `ten_${name}`;
    const receiver = await new Receiver().start();
    receivers.set(id, receiver);
    await h.db.query(`insert into tenants (id, name) values ($1, $2) on conflict do nothing`, [id, name]);
    await h.db.query(
      `insert into webhook_endpoints (tenant_id, id, url, form, ordered, created_by)
       values ($1, $2, $3, 'source', false, '{}')`,
      [id, ENDPOINT, receiver.url],
    );
    await h.db.query(`insert into webhook_secrets (tenant_id, endpoint_id, id, sealed) values ($1, $2, 'whs_1', $3)`, [
      id,
      ENDPOINT,
      storeOf(h, h.db).sealSecret(id, ENDPOINT, newSecret()),
    ]);
    const change = { baseUrl: receiver.url, settings: { timeout_ms: 1_000, ...settings } };
    await h.db.transaction(id, (tx) => h.destinations.save(tx, webhookKit.keyOf(id), change));
    return id;
  },
  async enqueue(h, tenantId, subject, n) {
    const channel = new EventSources();
    const receiver = { id: ENDPOINT, events: null, ordered: false };
    channel.addReceivers({ name: WEBHOOK, receiversOf: () => Promise.resolve([receiver]), wake: () => undefined });
    const fact = { event: 'job.synced', record: subject, data: JSON.stringify({ subject, n }) } as const;
    await new EventRecorder(channel).record(h.db, tenantId, [fact]);
  },
  fault(_h, tenantId, mode, rate = 1) {
    receivers.get(tenantId)!.reply = () => (mode === 'none' || Math.random() >= rate ? 204 : FAULTS[mode]);
  },
  requests: (_h, tenantId) => Promise.resolve(receivers.get(tenantId)!.arrived.length),
  effects(_h, tenantId) {
    // A receiver knows a repeated message by its id.
    const seen = new Map(receivers.get(tenantId)!.arrived.map(({ id, data }) => [id, data]));
    return Promise.resolve([...seen.values()]);
  },
  async stop() {
    for (const receiver of receivers.values()) await receiver.stop();
    receivers.clear();
  },
};

const FAULTS = { '500': 500, hang: () => undefined } as const;
