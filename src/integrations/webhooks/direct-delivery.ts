import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { TooManyRequests } from '../../base/http/http.errors.js';
import { recordDirect } from '../../engine/delivery/attempts.js';
import { DestinationStatesRepository } from '../../engine/delivery/destinations/destination-states.repository.js';
import { LaneWakeups } from '../../engine/delivery/lane-state.js';
import { cancelMessage, passMessage } from '../../engine/delivery/lanes/admin.js';
import { waitingOf } from '../../engine/delivery/lanes/read.js';
import type { Attempt } from '../../engine/delivery/outcome.js';
import { EVENTS, type EventName, EVENT_NAMES } from '../../engine/events/catalogue.js';
import { EventReader, type StoredEvent } from '../../engine/events/event-reader.js';
import { sequenceOfEvent } from '../../engine/events/event-recorder.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { EndpointSender, type SentEvent, type Tried, TIMEOUT_MS } from './endpoint-sender.js';
import { type Endpoint, takes } from './endpoint.store.js';
import { EndpointsRepository } from './endpoints.repository.js';
import type { WebhookAttemptBody, WebhookBody } from './webhooks.dto.js';
import { EndpointUnreadable, EndpointNotReady } from './webhooks.errors.js';
import { endpointKeyOf, WebhooksService } from './webhooks.service.js';

/** Parallel requests that a tenant waits for: each can take fifteen seconds. */
const MOST_AT_ONCE = 4;

/** Sends an event to an endpoint while the caller waits, for tests and repetitions by hand, and stores the attempt. */
@Injectable()
export class DirectDelivery {
  private readonly out = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly endpoints: EndpointsRepository,
    private readonly webhooks: WebhooksService,
    private readonly states: DestinationStatesRepository,
    private readonly reader: EventReader,
    private readonly wakeups: LaneWakeups,
    private readonly sender: EndpointSender,
    private readonly clock: Clock,
  ) {}

  async test(caller: Caller, id: string, event?: EventName): Promise<WebhookAttemptBody> {
    const endpoint = await this.endpoints.demandOne(caller, id);
    await this.demandAddress(endpoint);
    const tried = await this.sendDirect(
      endpoint,
      // A receiver recognises the message of a repeated request by its id.
      this.exampleOf(event ?? endpoint.events?.[0] ?? EVENT_NAMES[0]!, caller.repeat?.name.slice(0, 24)),
    );
    const outcome = { outcome: tried.attempt.outcome };
    await this.db.transaction(caller.tenantId, (tx) =>
      this.webhooks.note(tx, caller, 'webhook.tested', id, { after: outcome }),
    );
    return webhookAttemptBody(tried.attempt);
  }

  /** Lets events go out again, after a test event succeeded. @throws {EndpointNotReady} when the test failed */
  async resume(caller: Caller, id: string): Promise<WebhookBody> {
    const endpoint = await this.endpoints.demandOne(caller, id);
    const before = await this.webhooks.get(caller, id);
    if (before.state === 'active') return before;
    await this.demandAddress(endpoint);
    const { attempt, verdict } = await this.sendDirect(
      endpoint,
      this.exampleOf(endpoint.events?.[0] ?? EVENT_NAMES[0]!),
    );
    if (verdict.kind !== 'delivered') throw new EndpointNotReady(webhookAttemptBody(attempt));
    await this.db.transaction(caller.tenantId, async (tx) => {
      await this.endpoints.lockedOne(tx, caller, id);
      await this.states.resume(tx, endpointKeyOf(endpoint));
      await this.webhooks.note(tx, caller, 'webhook.resumed', id, { before: { reason: before.state_reason } });
    });
    this.wakeups.wake(endpointKeyOf(endpoint));
    return this.webhooks.get(caller, id);
  }

  /** A success cancels the waiting attempt, and the one that was given up; a failure leaves the schedule unchanged. */
  async redeliver(caller: Caller, id: string, eventId: string): Promise<WebhookAttemptBody> {
    const endpoint = await this.endpoints.demandOne(caller, id);
    const event = await this.eventFor(endpoint, eventId);
    const { attempt, verdict } = await this.sendDirect(endpoint, event);
    const turn = verdict.kind === 'delivered' ? await this.turnOf(endpoint, event) : null;
    await this.db.transaction(caller.tenantId, async (tx) => {
      if (verdict.kind === 'delivered') {
        await cancelMessage(tx, endpointKeyOf(endpoint), eventId);
        if (turn !== null) await passMessage(tx, endpointKeyOf(endpoint), turn.record, turn.first, event.sequence);
        await this.endpoints.removeGivenUpRows(tx, caller.tenantId, id, [event.sequence]);
      }
      const after = { event_id: eventId, outcome: attempt.outcome };
      await this.webhooks.note(tx, caller, 'webhook.redelivered', id, { after });
    });
    return webhookAttemptBody(attempt);
  }

  /** Returns where the lane of the event's record begins, if the event is the next one there; else null. */
  private async turnOf(
    endpoint: Endpoint,
    { record, sequence }: StoredEvent,
  ): Promise<{ record: string; first: string } | null> {
    const [lane] = record === null ? [] : await waitingOf(this.db, endpointKeyOf(endpoint), [record]);
    if (record === null || lane === undefined) return null;
    const range = { record, from: lane.first, through: lane.through };
    const next = (await this.reader.nextOf(endpoint.tenantId, [range], endpoint.events)).get(record);
    return next?.sequence === sequence ? { record, first: lane.first } : null;
  }

  private async eventFor(endpoint: Endpoint, eventId: string): Promise<StoredEvent> {
    const sequence = sequenceOfEvent(eventId);
    const [event] = sequence === null ? [] : await this.reader.bySequences(endpoint.tenantId, [sequence]);
    if (event !== undefined && takes(endpoint, event.event)) return event;
    throw new InvalidFields([{ field: 'event_id', message: 'is no event that this endpoint takes' }]);
  }

  /** The caller waits for the answer, so a refused address is a wrong field and no attempt. */
  private async demandAddress({ tenantId, url }: Endpoint): Promise<void> {
    const problem = await this.sender.problemOfName(url, tenantId);
    if (problem !== null) throw new InvalidFields([{ field: 'url', message: problem }]);
  }

  /**
   * @throws {EndpointUnreadable} when its secret cannot be read
   * @throws {TooManyRequests} when the tenant waits for too many requests
   */
  private async sendDirect(endpoint: Endpoint, event: SentEvent): Promise<Tried> {
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

  private exampleOf(event: EventName, name = randomBytes(12).toString('hex')): SentEvent {
    const data = JSON.stringify(EVENTS[event].example);
    const id = `test_${name}`;
    return { id, sequence: '0', event, at: this.clock.now(), record: null, data };
  }
}

function webhookAttemptBody(attempt: Attempt): WebhookAttemptBody {
  return {
    event_id: attempt.deliveryId!,
    at: attempt.sentAt,
    outcome: attempt.outcome,
    status: attempt.status,
    fault: attempt.fault ?? null,
    detail: attempt.detail,
    ms: attempt.ms,
    address: attempt.address ?? null,
    answer: attempt.answer,
  };
}
