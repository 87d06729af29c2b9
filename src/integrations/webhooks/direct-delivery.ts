import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { LaneWakeups } from '../../engine/delivery/lane-state.js';
import type { Attempt } from '../../engine/delivery/outcome.js';
import { DestinationStatesRepository } from '../../engine/delivery/destinations/destination-states.repository.js';
import { cancelMessage, passMessage } from '../../engine/delivery/lanes/admin.js';
import { waitingOf } from '../../engine/delivery/lanes/read.js';
import { EVENT_NAMES, type EventName } from '../../engine/events/catalogue.js';
import { sequenceOfEvent } from '../../engine/events/event-recorder.js';
import { EventReader, type StoredEvent } from '../../engine/events/event-reader.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { DirectSender } from './direct-sender.js';
import { EndpointAccess } from './endpoint-access.js';
import { takes, type Endpoint } from './endpoint.js';
import { GivenUpRepository } from './given-up.repository.js';
import type { WebhookAttemptBody, WebhookBody } from './webhook-bodies.dto.js';
import { EndpointNotReady } from './webhooks.errors.js';
import { endpointKeyOf, WebhooksService } from './webhooks.service.js';

/** Sends to an endpoint while the caller waits: tests, and repetitions by hand. */
@Injectable()
export class DirectDelivery {
  constructor(
    private readonly db: Database,
    private readonly access: EndpointAccess,
    private readonly webhooks: WebhooksService,
    private readonly sender: DirectSender,
    private readonly states: DestinationStatesRepository,
    private readonly givenUp: GivenUpRepository,
    private readonly reader: EventReader,
    private readonly wakeups: LaneWakeups,
  ) {}

  /** Sends the example of an event, signed, and returns what came of it. */
  async test(caller: Caller, id: string, event?: EventName): Promise<WebhookAttemptBody> {
    const endpoint = await this.access.one(caller, id);
    await this.sender.demandAddress(endpoint);
    const tried = await this.sender.send(
      endpoint,
      // A receiver recognises the message of a repeated request by its id.
      this.sender.exampleOf(event ?? endpoint.events?.[0] ?? EVENT_NAMES[0]!, caller.repeat?.name.slice(0, 24)),
    );
    const outcome = { outcome: tried.attempt.outcome };
    await this.db.transaction(caller.tenantId, (tx) =>
      this.webhooks.note(tx, caller, 'webhook.tested', id, { after: outcome }),
    );
    return webhookAttemptBody(tried.attempt);
  }

  /**
   * Lets events go out again, after a test event was taken.
   *
   * @throws {EndpointNotReady} when it was not
   */
  async resume(caller: Caller, id: string): Promise<WebhookBody> {
    const endpoint = await this.access.one(caller, id);
    const before = await this.webhooks.get(caller, id);
    if (before.state === 'active') return before;
    await this.sender.demandAddress(endpoint);
    const { attempt, verdict } = await this.sender.send(
      endpoint,
      this.sender.exampleOf(endpoint.events?.[0] ?? EVENT_NAMES[0]!),
    );
    if (verdict.kind !== 'delivered') throw new EndpointNotReady(webhookAttemptBody(attempt));
    await this.db.transaction(caller.tenantId, async (tx) => {
      await this.access.locked(tx, caller, id);
      await this.states.resume(tx, endpointKeyOf(endpoint));
      await this.webhooks.note(tx, caller, 'webhook.resumed', id, { before: { reason: before.state_reason } });
    });
    this.wakeups.wake(endpointKeyOf(endpoint));
    return this.webhooks.get(caller, id);
  }

  /**
   * Sends one event again at once. A success cancels the attempt that waits, and the one that was given up; a failure leaves the
   * schedule unchanged.
   */
  async redeliver(caller: Caller, id: string, eventId: string): Promise<WebhookAttemptBody> {
    const endpoint = await this.access.one(caller, id);
    const event = await this.eventFor(endpoint, eventId);
    const { attempt, verdict } = await this.sender.send(endpoint, event);
    const turn = verdict.kind === 'delivered' ? await this.turnOf(endpoint, event) : null;
    await this.db.transaction(caller.tenantId, async (tx) => {
      if (verdict.kind === 'delivered') {
        await cancelMessage(tx, endpointKeyOf(endpoint), eventId);
        if (turn !== null) await passMessage(tx, endpointKeyOf(endpoint), turn.record, turn.first, event.sequence);
        await this.givenUp.remove(tx, caller.tenantId, id, [event.sequence]);
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
}

/** Returns an attempt as the API shows it. */
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
