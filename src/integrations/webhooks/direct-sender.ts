import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { TooManyRequests } from '../../base/http/http.errors.js';
import { recordDirect } from '../../engine/delivery/attempts.js';
import { EVENTS, type EventName } from '../../engine/events/catalogue.js';
import { EndpointSender, type SentEvent, type Tried } from './endpoint-sender.js';
import { TIMEOUT_MS } from './endpoint.client.js';
import type { Endpoint } from './endpoint.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { EndpointUnreadable } from './webhooks.errors.js';
import { endpointKeyOf } from './webhooks.service.js';

/** Requests that a tenant waits for at the same time: each can take fifteen seconds. */
const MOST_AT_ONCE = 4;

/** Sends one event to an endpoint while the caller waits, and stores the attempt. */
@Injectable()
export class DirectSender {
  private readonly out = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly sender: EndpointSender,
    private readonly addresses: WebhookAddresses,
    private readonly clock: Clock,
  ) {}

  /** Where the caller waits for the answer, a refused address is a wrong field and no attempt. */
  async demandAddress({ tenantId, url }: Endpoint): Promise<void> {
    const problem = await this.addresses.problemOfName(url, tenantId);
    if (problem !== null) throw new InvalidFields([{ field: 'url', message: problem }]);
  }

  /**
   * Sends an event.
   *
   * @throws {EndpointUnreadable} when its secret cannot be read
   * @throws {TooManyRequests} when the tenant waits for too many requests
   */
  async send(endpoint: Endpoint, event: SentEvent): Promise<Tried> {
    if (endpoint.unreadable) throw new EndpointUnreadable();
    const { tenantId } = endpoint;
    const out = this.out.get(tenantId) ?? 0;
    if (out >= MOST_AT_ONCE) throw new TooManyRequests('Other requests to endpoints of the tenant are under way.', 5);
    this.out.set(tenantId, out + 1);
    try {
      const tried = await this.sender.send(endpoint, event, TIMEOUT_MS);
      await recordDirect(this.db, endpointKeyOf(endpoint), tried.attempt);
      return tried;
    } finally {
      const left = this.out.get(tenantId)! - 1;
      if (left === 0) this.out.delete(tenantId);
      else this.out.set(tenantId, left);
    }
  }

  /** Returns the example of an event. */
  exampleOf(event: EventName, name = randomBytes(12).toString('hex')): SentEvent {
    const data = JSON.stringify(EVENTS[event].example);
    const id = `test_${name}`;
    return { id, sequence: '0', event, at: this.clock.now(), record: null, data };
  }
}
