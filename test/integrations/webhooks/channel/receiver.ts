import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { newId } from '../../../../src/base/ids.js';
import { DestinationsRepository } from '../../../../src/engine/delivery/destinations/destinations.repository.js';
import { WEBHOOK, EndpointStore } from '../../../../src/integrations/webhooks/endpoint.store.js';
import { newSecret } from '../../../../src/integrations/webhooks/signed-message.js';
import type { TestApp } from '../../../support/app.js';
import { receiver, type Receiver as LocalReceiver } from '../support/receiver.js';

/** A request that arrived. */
export interface Arrived {
  id: string;
  event: string;
  // The data is that of each event.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- read field by field, as a receiver would
  data: any;
  body: string;
  headers: Record<string, string>;
  at: number;
}

/** What a receiver answers: a status, or what it does with the response. */
export type Reply = number | ((res: ServerResponse, message: Arrived) => void);

/** A receiver that reads the events that arrive, on a port of its own. */
export class Receiver {
  readonly arrived: Arrived[] = [];
  /** The answer to each request. */
  reply: (message: Arrived) => Reply = () => 204;
  url = '';
  private server: LocalReceiver | null = null;

  async start(): Promise<this> {
    const server = await receiver();
    server.answer((_, res) => {
      const { body, headers } = server.received.at(-1)!;
      const { event, data } = JSON.parse(body) as { event: string; data: unknown };
      const message = { id: headers['webhook-id']!, event, data, body, headers, at: Date.now() };
      this.arrived.push(message);
      const reply = this.reply(message);
      if (typeof reply === 'number') res.writeHead(reply).end();
      else reply(res, message);
    });
    this.server = server;
    this.url = server.url;
    return this;
  }

  stop(): Promise<void> {
    return this.server?.close() ?? Promise.resolve();
  }

  /** The records in the order in which they arrived, each with its sequence. */
  get records(): string[] {
    return this.arrived.map(({ data }) => `${data.id} ${data.sequence}`);
  }
}

/** Whether one of the signatures of a request is that of the secret. */
export function isSigned({ headers, body, id }: Arrived, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key)
    .update(`${id}.${String(headers['webhook-timestamp'])}.${body}`)
    .digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
}

/** Makes an endpoint without the API, which the tests of the delivery do not need. */
export async function endpointAt(
  service: TestApp,
  tenantId: string,
  { url, events = null, ordered = false }: { url: string; events?: string[] | null; ordered?: boolean },
): Promise<{ id: string; secret: string }> {
  const { nest } = service.app;
  const [id, secret] = [newId('whk'), newSecret()];
  await service.db.transaction(tenantId, async (tx) => {
    await tx.query(
      `insert into webhook_endpoints (tenant_id, id, url, events, form, ordered, created_by)
       values ($1, $2, $3, $4, 'source', $5, '{}')`,
      [tenantId, id, url, events, ordered],
    );
    await tx.query(`insert into webhook_secrets (tenant_id, endpoint_id, id, sealed) values ($1, $2, $3, $4)`, [
      tenantId,
      id,
      newId('whs'),
      nest.get(EndpointStore, { strict: false }).sealSecret(tenantId, id, secret),
    ]);
    await nest
      .get(DestinationsRepository, { strict: false })
      .save(
        tx,
        { tenantId, channel: WEBHOOK, id },
        { baseUrl: url, settings: { concurrency: 8, timeout_ms: 1_000, rate: null } },
      );
  });
  await nest.get(EndpointStore, { strict: false }).forget(tenantId);
  return { id, secret };
}
