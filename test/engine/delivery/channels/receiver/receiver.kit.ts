import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WriteStatement } from '../../../../../src/base/database/write-statement.js';
import { enqueue } from '../../../../../src/engine/delivery/lanes/enqueue.js';
import type { ChannelKit, Effect } from '../kit.js';
import { ReceiverChannel } from './receiver.channel.js';

/** A receiver that accepts a message once for each idempotency key. */
class Receiver {
  readonly effects = new Map<string, Effect>();
  requests = 0;
  fault: { mode: 'none' | '500' | 'hang'; rate: number } = { mode: 'none', rate: 1 };
  private readonly server: Server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => {
      this.requests++;
      const faulty = this.fault.mode !== 'none' && Math.random() < this.fault.rate;
      // Half of the faults come after the message was accepted.
      const key = String(req.headers['idempotency-key']);
      if (!faulty || (this.fault.rate < 1 && Math.random() < 0.5)) {
        if (!this.effects.has(key)) this.effects.set(key, JSON.parse(body) as Effect);
      }
      if (!faulty) res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      else if (this.fault.mode === '500') res.writeHead(500).end();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const receivers = new Map<string, Receiver>();

/** The receiver: each message is a subject of its own. */
export const receiverKit: ChannelKit = {
  channel: (h) => new ReceiverChannel(h.outbound),
  keyOf: (tenantId) => ({ tenantId, channel: 'receiver', id: 'endpoint_1' }),
  async tenant(h, name, settings = {}) {
    const id = `ten_${name}`;
    const receiver = new Receiver();
    receivers.set(id, receiver);
    const baseUrl = await receiver.start();
    await h.db.query(`insert into tenants (id, name) values ($1, $2) on conflict do nothing`, [id, name]);
    const change = { baseUrl, key: 'none', settings: { timeout_ms: 1_000, ...settings } };
    await h.db.transaction(id, (tx) => h.destinations.save(tx, receiverKit.keyOf(id), change));
    return id;
  },
  async enqueue(h, tenantId, subject, n) {
    const statement = new WriteStatement().subject((p) => `select ${p.add(`msg_${subject}_${n}`, 'text')} as id`);
    const change = statement.add(
      () =>
        `select id as subject, nextval('change_sequence') as sequence, clock_timestamp() as occurred_at from subject`,
    );
    enqueue(statement, receiverKit.keyOf(tenantId), { state: 'active', body: JSON.stringify({ subject, n }), change });
    await statement.run(h.db);
  },
  fault: (_h, tenantId, mode, rate = 1) => void (receivers.get(tenantId)!.fault = { mode, rate }),
  requests: (_h, tenantId) => Promise.resolve(receivers.get(tenantId)!.requests),
  effects: (_h, tenantId) => Promise.resolve([...receivers.get(tenantId)!.effects.values()]),
  stop() {
    for (const receiver of receivers.values()) receiver.stop();
    receivers.clear();
    return Promise.resolve();
  },
};
