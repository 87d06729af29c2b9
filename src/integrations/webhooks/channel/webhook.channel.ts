import { Injectable } from '@nestjs/common';
import { Config } from '../../../base/config/config.js';
import type { SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { Channel } from '../../../engine/delivery/channel.js';
import {
  DestinationFailing,
  DestinationPaused,
  DestinationRecovered,
  MessageGivenUp,
} from '../../../engine/delivery/delivery.events.js';
import type { Destination, DestinationKey } from '../../../engine/delivery/destination.js';
import { type LeasedLane, type Policy, LaneWakeups } from '../../../engine/delivery/lane-state.js';
import type { Outcome, Sent } from '../../../engine/delivery/outcome.js';
import { type FailureRules, STAGES } from '../../../engine/delivery/retry.rules.js';
import type { EventData, EventName } from '../../../engine/events/catalogue.js';
import { EventReader, type StoredEvent } from '../../../engine/events/event-reader.js';
import { sequenceOfEvent, EventRecorder } from '../../../engine/events/event-recorder.js';
import type { EventChannel, EventReceiver } from '../../../engine/events/event-source.js';
import { EndpointSender } from '../endpoint-sender.js';
import { type EndpointVerdict, PACE, webhookRules } from '../endpoint.rules.js';
import { takes, WEBHOOK, type Endpoint, EndpointStore } from '../endpoint.store.js';

/** The next message of a lane; null when there is none (any more). */
interface Next {
  endpoint: Endpoint;
  event: StoredEvent;
}

/**
 * The channel to webhook endpoints. Every message is sent. A lane is one event; at an endpoint that asks for order it
 * is a record, whose events follow each other. The body of a message is stored only with its event: it is read when it
 * is sent, so that an erased record is nowhere else.
 */
@Injectable()
export class WebhookChannel extends Channel {
  readonly name = WEBHOOK;
  readonly folds = false;
  override readonly needsKey = false;
  private readonly found = new WeakMap<LeasedLane, Next | null>();

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly events: EventReader,
    private readonly sender: EndpointSender,
    private readonly config: Config,
  ) {
    super();
  }

  override rulesOf(): FailureRules {
    return webhookRules({ ...PACE, pauses: this.config.webhookRetries });
  }

  policyOf(): Policy {
    return { active: 'post', inactive: 'post', deleted: 'post' };
  }

  override async prepare(lanes: readonly LeasedLane[], { tenantId, id }: Destination): Promise<void> {
    await this.find(lanes, await this.endpoints.get(tenantId, id));
    const rest = lanes.filter((lane) => this.found.get(lane) === null);
    if (rest.length === 0) return;
    // The write of the event may know an endpoint, or its events, a moment before this process does. A message that is
    // not found now is never sent.
    const endpoints = await this.endpoints.fresh(tenantId);
    await this.find(
      rest,
      endpoints.find((endpoint) => endpoint.id === id),
    );
  }

  private async find(lanes: readonly LeasedLane[], endpoint: Endpoint | undefined): Promise<void> {
    if (endpoint === undefined) {
      for (const lane of lanes) this.found.set(lane, null);
      return;
    }
    const { tenantId } = endpoint;
    const [single, records] = [lanes.filter(isOneEvent), lanes.filter((lane) => !isOneEvent(lane))];
    const [bySequence, byRecord] = await Promise.all([
      this.events.bySequences(
        tenantId,
        single.map(({ call }) => String(call.first)),
      ),
      this.events.nextOf(
        tenantId,
        records.map(({ subject, call }) => ({
          record: subject,
          from: String(call.first),
          through: String(call.through),
        })),
        endpoint.events,
      ),
    ]);
    const events = new Map(bySequence.map((event) => [event.sequence, event]));
    for (const lane of single) this.keep(lane, endpoint, events.get(String(lane.call.first)));
    for (const lane of records) this.keep(lane, endpoint, byRecord.get(lane.subject));
  }

  async send(lane: LeasedLane, destination: Destination, timeoutMs: number): Promise<Sent> {
    if (!this.found.has(lane)) await this.prepare([lane], destination);
    const next = this.found.get(lane) ?? null;
    // The endpoint is gone, the event is older than the retention, or the endpoint no longer takes it.
    if (next === null) return { outcome: { kind: 'nothing' }, attempts: [] };
    const { endpoint, event } = next;
    if (endpoint.unreadable) return { outcome: UNREADABLE, attempts: [] };
    const { verdict, attempt } = await this.sender.send(endpoint, event, timeoutMs);
    return { outcome: outcomeOf(verdict, event), attempts: [attempt] };
  }

  private keep(lane: LeasedLane, endpoint: Endpoint, event: StoredEvent | undefined): void {
    this.found.set(lane, event !== undefined && takes(endpoint, event.event) ? { endpoint, event } : null);
  }
}

/** No key of the settings opens the secrets: the operator's fault, so the messages wait and lose no try. */
const UNREADABLE: Outcome = {
  kind: 'unavailable',
  reason: 'secret_unreadable',
  ownFault: false,
  retryAfterMs: null,
  notTheirs: true,
};

function isOneEvent({ subject }: LeasedLane): boolean {
  return sequenceOfEvent(subject) !== null;
}

function outcomeOf(verdict: EndpointVerdict, { sequence, event: name, record, at }: StoredEvent): Outcome {
  const through = Number(sequence);
  const { kind, reason, retryAfterMs, fault } = verdict;
  switch (kind) {
    case 'delivered':
      return { kind: 'delivered', through };
    case 'failed':
      return {
        kind: 'unavailable',
        reason,
        ownFault: false,
        retryAfterMs,
        notTheirs: fault !== 'theirs',
        through,
        message: { name, record, at },
      };
    case 'gone':
      return { kind: 'stopped', reason: 'gone', detail: 'The endpoint answered 410.' };
    case 'refused_address':
      return { kind: 'stopped', reason: 'address_refused', detail: 'The address is not one that is connected to.' };
  }
}

/** Gives the room of events the endpoints of a tenant. Events wait while an endpoint is disabled. */
@Injectable()
export class WebhookEventChannel implements EventChannel {
  readonly name = WEBHOOK;

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly wakeups: LaneWakeups,
  ) {}

  receiversOf(tenantId: string, db?: SqlRunner): Promise<readonly EventReceiver[]> {
    return this.endpoints.of(tenantId, db);
  }

  wake(key: DestinationKey): void {
    this.wakeups.wake(key);
  }
}

/** Pauses by the service itself; the others are an administrator's. */
const DISABLING = new Set(['gone', 'failing', 'address_refused']);

/** Records reports of deliveries in the transaction of the fact: events for other endpoints, and given-up messages. */
@Injectable()
export class WebhookEventRecorder {
  constructor(
    private readonly recorder: EventRecorder,
    events: DomainEvents,
  ) {
    events.on(DestinationPaused, async ({ tx, destination, reason }) => {
      if (!DISABLING.has(reason)) return;
      const since = await failingSince(tx, destination);
      await this.tell(tx, destination, 'webhook.disabled', {
        endpoint_id: destination.id,
        reason,
        failing_since: since,
      });
    });
    events.on(DestinationFailing, ({ tx, destination, since, stage, reason }) =>
      this.tell(tx, destination, 'webhook.failing', {
        endpoint_id: destination.id,
        stage: stage === STAGES.halfTime ? 'half_time' : 'first',
        reason,
        failing_since: since.toISOString(),
        disabled_at: new Date(since.getTime() + PACE.endsAfterMs).toISOString(),
      }),
    );
    events.on(DestinationRecovered, ({ tx, destination, since }) =>
      this.tell(tx, destination, 'webhook.recovered', {
        endpoint_id: destination.id,
        failing_since: since.toISOString(),
      }),
    );
    events.on(MessageGivenUp, (given) => this.keep(given));
  }

  private async tell<Name extends EventName>(
    tx: SqlRunner,
    { tenantId, channel, id }: DestinationKey,
    event: Name,
    data: EventData[Name],
  ): Promise<void> {
    if (channel !== WEBHOOK) return;
    await this.recorder.record(tx, tenantId, [{ event, record: null, data: JSON.stringify(data) }], { exceptTo: id });
  }

  /** The row allows a later replay; the event itself stays in its table. */
  private async keep({ tx, destination, sequence, reason, message }: MessageGivenUp): Promise<void> {
    const { tenantId, channel, id } = destination;
    if (channel !== WEBHOOK || message === null) return;
    await tx.query(
      `insert into webhook_given_up (tenant_id, endpoint_id, sequence, at, record, event, reason)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
      [tenantId, id, sequence, message.at, message.record, message.name, reason],
    );
  }
}

async function failingSince(tx: SqlRunner, { tenantId, channel, id }: DestinationKey): Promise<string | null> {
  const { rows } = await tx.query<{ since: Date | null }>(
    `select failing_since as since from destinations where tenant_id = $1 and channel = $2 and id = $3`,
    [tenantId, channel, id],
  );
  return rows[0]?.since?.toISOString() ?? null;
}
